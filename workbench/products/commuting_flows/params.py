"""The settings of commuting flows: which column holds what, how places are coarsened, how sizes become public."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from workbench.baselines.secret_key import path_problems
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.microdata.roles import Role
from workbench.products.commuting_flows.flows.geography import GeographyColumns
from workbench.products.commuting_flows.flows.prior import PriorColumns
from workbench.products.commuting_flows.flows.structures import PopulationList
from workbench.products.commuting_flows.flows.supports import SupportSettings
from workbench.products.commuting_flows.job_counts import job_count_rules
from workbench.products.commuting_flows.named import named_like_a_home, named_like_a_workplace

_SLIDES = "OnTheMap (2008), section 5"

_SWAPPED = "The workplace is published as it is: choose the other column, or rename this one if it is the right one"


class WorkLevel(StrEnum):
    BLOCK = "block"
    BLOCK_GROUP = "block group"
    TRACT = "tract"


class Sizes(StrEnum):
    TRUE = "true"
    NOISE_INFUSED = "noise-infused"


class Outside(StrEnum):
    REFUSE = "refuse"
    LEAVE_OUT = "leave out"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommutingFlowsParams:
    work: str = param(
        "w_geocode", "Workplace", "The column with the block (or tract) of the workplace.", roles=(Role.GEOGRAPHY,)
    )
    home: str = param(
        "h_geocode",
        "Residence",
        "The column with the block the worker lives in.",
        roles=(Role.PERSON, Role.GEOGRAPHY),
    )
    jobs: str = param(
        "",
        "Count of jobs",
        "The column with the number of jobs of each row, S000 in LODES files. Empty: every row is one job.",
        roles=(Role.COUNT, Role.OUTCOME),
    )
    characteristics: tuple[str, ...] = param(
        (),
        "Characteristics",
        "Columns that divide the workers of a workplace into populations. May be left empty.",
        roles=(Role.PERSON, Role.WORKPLACE),
    )
    segments: tuple[str, ...] = param(
        (),
        "Segments",
        "Columns of counts that divide them instead, such as SA01, SA02, SA03 in LODES files. A worker is in one "
        "segment of each set, so three sets cost three times the ε of one. Columns with other names may overlap: each "
        "costs as much as a set.",
        roles=(Role.COUNT, Role.OUTCOME),
    )
    work_level: WorkLevel = param(
        WorkLevel.BLOCK,
        "Workplace areas",
        "How fine the workplaces are published. Tracts make larger populations.",
        labels={"block": "Blocks", "block group": "Block groups", "tract": "Tracts"},
    )
    sizes: Sizes = param(
        Sizes.TRUE,
        "Published sizes",
        "How many synthetic workers a population gets. True sizes are published as they are, without protection; "
        "noise-infused ones are multiplied by a secret factor of their workplace, no formal protection either.",
        labels={"true": "True sizes (public by assumption)", "noise-infused": "Noise-infused sizes"},
        effect="invariant",
    )
    minimum_size: int = param(
        1,
        "Smallest population",
        "Populations with a smaller published size are left out of the release.",
        unit="workers",
        ge=1,
        le=1_000_000,
    )
    jobs_per_worker: int = param(
        1,
        "Maximum jobs per worker",
        "How many rows one person can be in. The release's total ε is multiplied by it.",
        unit="jobs",
        ge=1,
        le=1000,
    )
    outside: Outside = param(
        Outside.REFUSE,
        "Homes outside the geography",
        "Refuse the data, leave those jobs out (who lives on the map is then public), or count them at a block of "
        "their own.",
        labels={
            "refuse": "Refuse the data",
            "leave out": "Leave those jobs out",
            "unknown": "Count them at the block of unknown homes",
        },
    )
    puma_beyond: Decimal = param(
        Decimal("0.5"),
        "PUMAs beyond",
        "Homes farther than this share of the public prior's commutes are coarsened to PUMAs.",
        ge=0,
        le=1,
        source=_SLIDES,
    )
    super_puma_beyond: Decimal = param(
        Decimal("0.9"),
        "Super-PUMAs beyond",
        "Homes farther than this share of the public prior's commutes are coarsened to Super-PUMAs.",
        ge=0,
        le=1,
        source=_SLIDES,
    )
    eliminate_100: Decimal = param(
        Decimal("0.5"),
        "Eliminated beyond 100 miles",
        "Chance that a point without public prior, more than 100 miles away, is ruled out.",
        ge=0,
        le=1,
        source=_SLIDES,
    )
    eliminate_200: Decimal = param(
        Decimal("0.9"), "Eliminated beyond 200 miles", "The same, beyond 200 miles.", ge=0, le=1, source=_SLIDES
    )
    eliminate_500: Decimal = param(
        Decimal("0.98"), "Eliminated beyond 500 miles", "The same, beyond 500 miles.", ge=0, le=1, source=_SLIDES
    )
    elimination_seed: int = param(
        1,
        "Seed of the elimination",
        "Public: it decides which points are ruled out, whatever the confidential data, so it costs no privacy.",
        ge=0,
        le=2**63 - 1,
        advanced=True,
    )
    block: str = param("tabblk2020", "Block column", "In the geography file.", advanced=True)
    tract: str = param("trct", "Tract column", "In the geography file.", advanced=True)
    puma: str = param("puma", "PUMA column", "In the geography file; any area made of tracts.", advanced=True)
    super_puma: str = param(
        "super_puma", "Super-PUMA column", "In the geography file; any area made of PUMAs.", advanced=True
    )
    latitude: str = param("blklatdd", "Latitude column", "In the geography file, in degrees.", advanced=True)
    longitude: str = param("blklondd", "Longitude column", "In the geography file, in degrees.", advanced=True)
    population: str = param(
        "",
        "Population column",
        "In the geography file. Empty: all blocks of an area are equally likely homes.",
        advanced=True,
    )
    prior_work: str = param("w_geocode", "Workplace in the prior", "Block or tract codes.", advanced=True)
    prior_home: str = param("h_geocode", "Residence in the prior", "Block or tract codes.", advanced=True)
    prior_jobs: str = param("S000", "Count in the prior", "Empty: every row counts one.", advanced=True)
    size_least: Decimal = param(
        Decimal("0.05"),
        "Minimum distortion of sizes",
        "For noise-infused sizes.",
        gt=0,
        lt=1,
        advanced=True,
        internal=True,
    )
    size_most: Decimal = param(
        Decimal("0.15"),
        "Maximum distortion of sizes",
        "For noise-infused sizes.",
        gt=0,
        lt=1,
        advanced=True,
        internal=True,
    )
    key_file: str = param(
        "",
        "Key file of noise-infused sizes",
        "Whole path of a file of random bytes, kept outside project and report, that fixes each workplace's factor.",
        advanced=True,
        internal=True,
        file=True,
    )
    value_name: str = param("jobs", "Name of the value", "The column title of the published counts.")
    populations: PopulationList = param(
        PopulationList.DATA,
        "List of populations",
        "Workplaces with jobs in the data (reveals which exist); those of a public register; or every workplace area.",
        labels={"data": "Workplaces with jobs", "register": "Workplaces of the register", "all": "All areas"},
        effect="invariant",
        later=True,
    )
    unknown_home: str = param(
        "",
        "Block of unknown homes",
        "The code in the geography file that stands for missing, invalid and unlisted homes.",
        advanced=True,
        later=True,
    )

    job_counts: tuple[str, ...] = param(
        (),
        "Job counts",
        "Four columns in this order: all jobs, primary jobs, private jobs, primary private jobs (JT00 to JT03). Every "
        "row is then published with all four, for the ε of one.",
        roles=(Role.COUNT, Role.OUTCOME),
        advanced=True,
        later=True,
    )

    def check(self) -> tuple[Problem, ...]:
        return (*self._column_rules(), *self._number_rules(), *self._size_rules())

    def _column_rules(self) -> list[Problem]:
        found = []
        for name in ("work", "home", "block", "tract", "puma", "super_puma", "latitude", "longitude"):
            if not getattr(self, name):
                found.append(Problem("No column is chosen", name, "Choose one"))
        if self.work and self.work == self.home:
            found.append(Problem("Workplace and residence are the same column", "home", "Choose two columns"))
        if named_like_a_home(self.work):
            what = f"“{self.work}” is chosen as the workplace, but is named like a residence"
            found.append(Problem(what, "work", _SWAPPED))
        if named_like_a_workplace(self.home):
            what = f"“{self.home}” is chosen as the residence, but is named like a workplace"
            found.append(Problem(what, "home", _SWAPPED))
        for name, what in ((self.home, "residence, which is what is protected"), (self.work, "workplace already")):
            if name and name in self.characteristics:
                found.append(Problem(f"“{name}” is the {what}", "characteristics", "Choose other characteristics"))
        if self.characteristics and self.segments:
            found.append(
                Problem("Characteristics and segments cannot both divide workers", "segments", "Keep one of the two")
            )
        found += job_count_rules(self.job_counts, self.jobs, self.segments)
        chosen = (*self.characteristics, *self.segments)
        for name in sorted({name for name in chosen if chosen.count(name) > 1}):
            found.append(Problem(f"“{name}” is chosen more than once", "characteristics", "Choose each column once"))
        if not self.value_name.strip() or self.value_name in (self.work, self.home, *self.characteristics, "segment"):
            found.append(Problem("The value has no name of its own", "value_name", "For example “jobs”"))
        return found

    def _number_rules(self) -> list[Problem]:
        found = []
        if self.super_puma_beyond < self.puma_beyond:
            found.append(
                Problem(
                    "Super-PUMAs would begin nearer than PUMAs",
                    "super_puma_beyond",
                    f"Use a share of at least {self.puma_beyond}",
                )
            )
        if self.sizes is Sizes.NOISE_INFUSED and not self.size_least < self.size_most:
            found.append(
                Problem("The most distortion must exceed the least", "size_most", f"Use more than {self.size_least}")
            )
        return found

    def _size_rules(self) -> list[Problem]:
        return list(path_problems(self.key_file)) if self.sizes is Sizes.NOISE_INFUSED and self.key_file else []

    @property
    def geography_columns(self) -> GeographyColumns:
        return GeographyColumns(
            block=self.block,
            tract=self.tract,
            puma=self.puma,
            super_puma=self.super_puma,
            latitude=self.latitude,
            longitude=self.longitude,
            population=self.population,
        )

    @property
    def prior_columns(self) -> PriorColumns:
        return PriorColumns(work=self.prior_work, home=self.prior_home, count=self.prior_jobs)

    @property
    def support_settings(self) -> SupportSettings:
        return SupportSettings(
            puma_beyond=float(self.puma_beyond),
            super_puma_beyond=float(self.super_puma_beyond),
            elimination=(
                (100.0, float(self.eliminate_100)),
                (200.0, float(self.eliminate_200)),
                (500.0, float(self.eliminate_500)),
            ),
            seed=self.elimination_seed,
        )
