"""What is said of survey microdata before anything of them is loaded."""

from __future__ import annotations

from workbench.products.card import Card
from workbench.products.survey_microdata.params import SurveyMicrodataParams

CARD = Card(
    id="survey_microdata",
    version=1,
    title="Survey microdata",
    summary="A public-use file of respondents' answers, with the tables or the design that estimates need.",
    params=SurveyMicrodataParams,
    references=("Floyd, C., and Rodríguez, R. CBAMS: a case study in differential privacy at the U.S. Census Bureau.",),
)
