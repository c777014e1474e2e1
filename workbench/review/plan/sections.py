"""The plan's own sections: what a release is for, how it is studied, what the policy allows. Params like all others."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from workbench.core.params import param
from workbench.policy.profile import CONTEXT_FIELDS


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseContext:
    """Why the release is made and for whom: missing context is a common reason for sending a request back."""

    title: str = param("", "Title", "What the release will be called in lists, reports and the ledger.")
    requester: str = param("", "Requested by", "Person and organisation that asked for the release.")
    purpose: str = param("", "Purpose", "What the output will be used for, in one or two sentences.")
    authority: str = param("", "Legal authority", "Law, agreement or project number under which the data are used.")
    period: str = param("", "Period", "Years or quarters the data cover.")
    smallest_geography: str = param("", "Smallest geography", "The finest area that appears in the output.")
    overlapping: str = param(
        "", "Overlapping public files", "Published tables on the same units, with which this one could be combined."
    )
    source: str = param(
        "", "Data source", "Name of the confidential source as readers know it, such as a register.", advanced=True,
        later=True,
    )  # fmt: skip
    contact: str = param("", "Contact", "Who answers questions about the release.", advanced=True)
    statement: str = param(
        "", "Public statement", "What readers are told about the protection. Empty: made from the claim.", advanced=True
    )


CONTEXT_REQUIRED = CONTEXT_FIELDS  # what a policy asks for unless it says otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyParams:
    """How usefulness is studied. Studies are seeded, so that they can be repeated; releases never are."""

    trials: int = param(20, "Trials", "Draws per setting where sampling stands beside a closed form.", ge=1, le=1000)
    seed: int = param(1, "Seed", "Makes the study repeatable; no part in what is published.", ge=0, advanced=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyParams:
    """What the agency allows for this data set."""

    budget: Decimal = param(
        Decimal(10),
        "Budget of the data set",
        "Largest total ε that all approved releases from these data can spend together.",
        unit="ε",
        gt=0,
        le=1000,
    )
