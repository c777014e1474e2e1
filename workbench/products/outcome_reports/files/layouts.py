"""The official layouts of PSEO earnings and VEO tables: columns in order, and what status flags mean.

Source: LEHD Public Use Data Schema V4.14.0 (U.S. Census Bureau 2026) for PSEO; the schema of the VEO tables (2020).
"""

from __future__ import annotations

YEARS = ("1", "5", "10")
SHARES = ("p25", "p50", "p75")
NOT_COMPUTED, OK, SUPPRESSED = -1, 1, 5
IPEDS_NOT_AVAILABLE = 3

PSEO_KEYS = {
    "agg_level_pseo": 0,
    "inst_level": 1,
    "institution": 8,
    "degree_level": 2,
    "cip_level": 1,
    "cipcode": 7,
    "grad_cohort": 4,
    "grad_cohort_years": 0,
    "geo_level": 1,
    "geography": 8,
    "ind_level": 1,
    "industry": 5,
}  # longest text of each; 0 for a number
PSEO_VALUES = (
    *(f"y{year}_{what}" for year in YEARS for what in (*(f"{share}_earnings" for share in SHARES), "grads_earn")),
    *(f"y{year}_ipeds_count" for year in YEARS),
)
PSEO_STATUS = (
    *(f"status_y{year}_{what}" for year in YEARS for what in ("earnings", "grads_earn")),
    *(f"status_y{year}_ipeds_count" for year in YEARS),
)
PSEO = (*PSEO_KEYS, *PSEO_VALUES, *PSEO_STATUS)
PSEO_DRAFT = (*PSEO_KEYS, *PSEO_VALUES, *PSEO_STATUS[:6], "status_ipeds_count")  # of 2019

VEO_KEYS = {
    "veoa": ("agegrp",),
    "veoe": ("education",),
    "veogs": ("geo_level", "geography"),
    "veons": ("ind_level", "industry"),
    "veoo2gs": ("dod_occ_code_level", "dod_occ_code", "geo_level", "geography"),
    "veoo2ns": ("dod_occ_code_level", "dod_occ_code", "ind_level", "industry"),
    "veoo2p": ("dod_occ_code_level", "dod_occ_code", "paygrade_level", "paygrade"),
    "veoo3": ("dod_occ_code_level", "dod_occ_code"),
    "veop": ("paygrade_level", "paygrade"),
    "veorh": ("race", "ethnicity"),
    "veos": ("sex",),
    "veot": ("afqtgrp",),
    "veox": ("yosgrp",),
}
VEO_COHORT_YEARS = {"veoo2gs": 8, "veoo2ns": 8, "veoo2p": 4, "veoo3": 8}  # 2 elsewhere
VEO_ALL_COHORTS = 16
_WITHOUT_NONEMPLOYED = ("veogs", "veons", "veoo2gs", "veoo2ns")


def veo_columns(table: str) -> tuple[str, ...]:
    """The statistic first, the year second, unlike PSEO."""
    counted = ("emp",) if table in _WITHOUT_NONEMPLOYED else ("emp", "nonemp")
    return (
        "cohort",
        "cohort_years",
        *VEO_KEYS[table],
        *(f"y{year}_{what}" for what in counted for year in YEARS),
        *(f"y{year}_{share}_earnings" for share in SHARES for year in YEARS),
        *(f"status_y{year}_{what}" for what in (*counted, "earn") for year in YEARS),
    )


def status_of(column: str) -> str:
    """The column that holds the status of a value."""
    year, what = column.split("_", 1)
    if column in PSEO_VALUES:
        return f"status_{year}_{'earnings' if what.endswith('earnings') else what}"
    return f"status_{year}_{what}"


def veo_status_of(column: str) -> str:
    year, what = column.split("_", 1)
    return f"status_{year}_{'earn' if what.endswith('earnings') else what}"
