"""Every product has a page, and every page answers the same questions in the same order."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT, text_of, without_blocks
from workbench.products import registry

HEADINGS = ["What it publishes", "Methods", "Claims", "Findings of the source measured", "Figures", "Limits"]


@pytest.mark.parametrize("name", registry.FOLDERS)
def test_that_a_products_page_has_the_common_headings_and_names_its_mechanisms(name: str) -> None:
    page = ROOT / "docs" / "products" / f"{name}.md"
    product = registry.product(name)
    assert text_of(page).startswith(f"# {product.title}\n")
    assert re.findall(r"^## (.*)$", without_blocks(page), flags=re.MULTILINE) == HEADINGS
    for spec in (*product.mechanisms, *product.baselines):
        assert f"`{spec.id}`" in text_of(page), spec.id
    claims = without_blocks(page).split("## Claims")[1].split("\n## ")[0]
    assert {"proved", "not formal", "only tested"} <= set(re.findall("proved|not formal|only tested", claims))
