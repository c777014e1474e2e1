"""The pages of a PDF as pictures, for a preview on the screen. Knows nothing of Qt."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.progress import Context


@dataclass(frozen=True, slots=True)
class PageImage:
    """One page: rows of pixels from the top, four bytes each (blue, green, red, unused)."""

    width: int
    height: int
    pixels: bytes


def page_images(pdf: bytes, *, width: int, context: Context) -> tuple[PageImage, ...]:
    """Every page drawn `width` pixels wide. PDFium is not thread-safe: only one thread at a time may do this."""
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf)
    try:
        pages = []
        for number in range(len(document)):
            context.step(number / len(document), f"Drawing page {number + 1} of {len(document)}")
            page = document[number]
            bitmap = page.render(scale=width / page.get_width(), prefer_bgrx=True)
            pages.append(PageImage(bitmap.width, bitmap.height, bytes(bitmap.buffer)))
            page.close()
        return tuple(pages)
    finally:
        document.close()
