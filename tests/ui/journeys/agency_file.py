"""A file as agencies have it: semicolons, Windows-1252, decimal commas, codes with zeros, gaps written in many ways."""

from __future__ import annotations

import random
from pathlib import Path

HEADING = "Betr.-Nr.;Gemeinde;WZ 2008;Rechtsform;Pers.-Nr.;Geschl.;Geb.-Jahr;Entgelt;Bemerkung"


def write_agency_file(path: Path, rows: int = 2000) -> Path:
    draw = random.Random(1)
    firms = [
        (f"{number:06}", draw.choice(["01001", "01002", "05110"]), draw.choice("ACFGQ"), draw.choice(["priv", "öff"]))
        for number in range(rows // 20)
    ]
    lines = [HEADING]
    for number in range(rows):
        sex = "." if draw.random() < 0.01 else draw.choice("mw")
        born = draw.choice(["", "-9"]) if draw.random() < 0.02 else str(draw.randint(1955, 2004))
        pay = f"{draw.lognormvariate(7.9, 0.4):.2f}".replace(".", ",")
        firm, place, sector, form = draw.choice(firms)
        form = form if number % 97 else ""
        lines.append(";".join((firm, place, sector, form, f"{number:07}", sex, born, pay, draw.choice(["", "ü"]))))
    path.write_bytes("\r\n".join((*lines, "")).encode("cp1252"))
    return path


def write_file_without_names(path: Path) -> Path:
    path.write_text("\n".join(f"{number},{number % 7},{number % 3}" for number in range(100)), encoding="utf-8")
    return path
