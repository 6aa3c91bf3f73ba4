"""Five ways to lay out a page, from nested tables to semantic HTML, with the CSS to render them.

A layout is one text with four gaps, in the order title, breadcrumbs, main part, sidebar links.
What a host repeats on each page is filled in once.
"""

# ruff: noqa: E501 - style sheets

from dataclasses import dataclass

GAP = "\x00"
"""The character that marks the four gaps of a layout."""

_HTML5 = "<!DOCTYPE html>\n"

PALETTES = (
    ("#003366", "#ffffff", "#e8eef5", "#cc6600", "Verdana, Arial, sans-serif"),
    ("#5b2c0f", "#fffaf0", "#f3e6cf", "#8b0000", "Georgia, 'Times New Roman', serif"),
    ("#1d6b4f", "#ffffff", "#e6f2ec", "#0b5394", "'Helvetica Neue', Arial, sans-serif"),
    ("#333333", "#fafafa", "#ececec", "#b5121b", "Arial, Helvetica, sans-serif"),
    ("#2f2a6b", "#fbfbff", "#e7e6f5", "#7a3db8", "'Trebuchet MS', Tahoma, sans-serif"),
    ("#7a1f2b", "#fffdf8", "#f6eadf", "#1f4e79", "'Palatino Linotype', Palatino, serif"),
    ("#00606b", "#f7fbfb", "#dff0f1", "#c0392b", "system-ui, 'Segoe UI', sans-serif"),
)
"""Colours and font: header, page, box, link, font."""

CLASSES = (
    ("nav", "main", "side", "foot", "crumbs"),
    ("menu", "content", "sidebar", "footer", "path"),
    ("navi", "inhalt", "rechts", "fuss", "pfad"),
    ("topbar", "col1", "col2", "bottom", "trail"),
    ("gnav", "honbun", "sub", "copy", "topicpath"),
    ("mn", "c", "r", "f", "bc"),
)
"""CSS classes of the parts of a page."""


@dataclass(frozen=True, slots=True)
class FrameStyle:
    """The contents of a host's page frame."""

    lang: str
    title: str
    meta: str
    nav: list[str]
    side: str
    foot: str
    palette: tuple[str, str, str, str, str]
    classes: tuple[str, str, str, str, str]
    declares_lang: bool


def frame_pieces(layout: int, style: FrameStyle) -> tuple[str, str, str, str, str]:
    """Return the five pieces around the four gaps."""
    one, two, three, four, five = _LAYOUTS[layout](style).split(GAP)
    return one, two, three, four, five


def _head(style: FrameStyle, css: str, doctype: str) -> str:
    lang = f' lang="{style.lang}"' if style.declares_lang else ""
    return f"{doctype}<html{lang}><head>{style.meta}<title>{GAP}</title>\n<style>{css}</style></head>\n"


def _tables(style: FrameStyle) -> str:
    head, page, box, link, font = style.palette
    items = "".join(f"<tr><td bgcolor='{box}'><font size=2>{item}</font></td></tr>\n" for item in style.nav)
    face = font.replace("'", "")
    lang = f" lang={style.lang}" if style.declares_lang else ""
    return (
        f"<HTML{lang}><HEAD>{style.meta}<TITLE>{GAP}</TITLE></HEAD>\n"
        f'<BODY BGCOLOR="{page}" LINK="{link}" VLINK="#666666" TEXT="#000000"><CENTER>\n'
        f'<TABLE WIDTH=760 BORDER=0 CELLPADDING=6 CELLSPACING=0><TR><TD COLSPAN=2 BGCOLOR="{head}">'
        f'<FONT COLOR="#ffffff" SIZE=5 FACE="{face}"><B>{style.title}</B></FONT></TD></TR>\n'
        f"<TR><TD WIDTH=150 VALIGN=top><TABLE WIDTH=144 CELLPADDING=3 BORDER=0>{items}</TABLE>\n<font size=2>{style.side}</font></TD>\n"
        f'<TD VALIGN=top WIDTH=610><FONT FACE="{face}" SIZE=2>{GAP}\n{GAP}\n<HR NOSHADE SIZE=1>{GAP}</FONT></TD></TR>\n'
        f'<TR><TD COLSPAN=2 ALIGN=center BGCOLOR="{box}"><FONT SIZE=1>{style.foot}</FONT></TD></TR></TABLE>'
        f"</CENTER></BODY></HTML>\n"
    )


def _floats(style: FrameStyle) -> str:
    head, page, box, link, font = style.palette
    nav, main, side, foot, crumbs = style.classes
    css = (
        f"body{{margin:0;background:{page};font:13px/1.5 {font}}}a{{color:{link}}}"
        f"#wrap{{width:960px;margin:0 auto}}#banner{{background:{head};color:#fff;padding:14px 18px;font-size:24px}}"
        f".{nav}{{background:{box};overflow:hidden;margin:0;padding:0 8px;list-style:none}}"
        f".{nav} li{{float:left;padding:7px 11px}}.{main}{{float:left;width:650px;padding:12px 18px}}"
        f".{side}{{float:right;width:235px;padding:12px 10px;font-size:12px}}"
        f".{foot}{{clear:both;background:{box};padding:10px;font-size:11px;text-align:center}}"
        f".{crumbs}{{font-size:11px;color:#777}}table{{border-collapse:collapse}}td,th{{border:1px solid #bbb;padding:3px 6px}}"
        f".item{{border-bottom:1px dotted #aaa;padding:5px 0}}"
    )
    items = "".join(f"<li>{item}</li>" for item in style.nav)
    doctype = (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
        '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n'
    )
    return (
        f'{_head(style, css, doctype)}<body><div id="wrap"><div id="banner">{style.title}</div>\n'
        f'<ul class="{nav}">{items}</ul>\n<div class="{main}"><div class="{crumbs}">{GAP}</div>\n{GAP}</div>\n'
        f'<div class="{side}">{GAP}\n{style.side}</div>\n<div class="{foot}">{style.foot}</div></div></body></html>\n'
    )


def _flex(style: FrameStyle) -> str:
    head, page, box, link, font = style.palette
    nav, main, side, foot, crumbs = style.classes
    css = (
        f"*{{box-sizing:border-box}}body{{margin:0;background:{page};font:16px/1.6 {font};color:#222}}a{{color:{link}}}"
        f".hd{{display:flex;align-items:center;justify-content:space-between;background:{head};padding:0 2rem;min-height:4rem}}"
        f".hd b{{color:#fff;font-size:1.4rem}}.{nav}{{display:flex;flex-wrap:wrap;gap:.4rem 1.1rem}}.{nav} a{{color:#fff}}"
        f".row{{display:flex;gap:2rem;max-width:1180px;margin:1.5rem auto;padding:0 1rem}}.{main}{{flex:3}}"
        f".{side}{{flex:1;background:{box};padding:1rem;border-radius:6px;font-size:.9rem;align-self:flex-start}}"
        f".{foot}{{background:#222;color:#ccc;padding:1.5rem 2rem;font-size:.85rem}}.{foot} a{{color:#ddd}}"
        f".{crumbs}{{font-size:.8rem;color:#666}}td,th{{padding:.3rem .7rem;border-bottom:1px solid #ddd;text-align:left}}"
        f".item{{padding:.6rem 0;border-bottom:1px solid #e3e3e3}}"
    )
    return (
        f'{_head(style, css, _HTML5)}<body><div class="hd"><b>{style.title}</b>'
        f'<div class="{nav}">{" ".join(style.nav)}</div></div>\n<div class="row"><div class="{main}">'
        f'<div class="{crumbs}">{GAP}</div>\n{GAP}</div>\n<div class="{side}">{GAP}\n{style.side}</div></div>\n'
        f'<div class="{foot}">{style.foot}</div></body></html>\n'
    )


def _grid(style: FrameStyle) -> str:
    head, page, box, link, font = style.palette
    nav, main, side, foot, crumbs = style.classes
    css = (
        f"body{{margin:0;display:grid;grid-template-columns:220px minmax(0,1fr) 240px;grid-template-rows:auto 1fr auto;"
        f"min-height:100vh;font:15px/1.55 {font};background:{page}}}a{{color:{link};text-decoration:none}}"
        f".top{{grid-column:1/4;background:{head};color:#fff;padding:1.2rem 1.6rem;font-size:1.5rem}}"
        f".{nav}{{grid-column:1;background:{box};padding:1rem 1.2rem}}.{nav} a{{display:block;padding:.25rem 0}}"
        f".{main}{{grid-column:2;padding:1rem 2rem}}.{side}{{grid-column:3;padding:1rem;font-size:.88rem}}"
        f".{foot}{{grid-column:1/4;border-top:3px solid {head};padding:1rem 1.6rem;font-size:.85rem}}"
        f".{crumbs}{{font-size:.8rem}}td,th{{padding:4px 10px;background:{box}}}.item{{margin:.7rem 0}}"
    )
    return (
        f'{_head(style, css, _HTML5)}<body><header class="top">{style.title}</header>\n'
        f'<div class="{nav}">{" ".join(style.nav)}</div>\n<div class="{main}"><p class="{crumbs}">{GAP}</p>\n{GAP}</div>\n'
        f'<div class="{side}">{GAP}\n{style.side}</div>\n<div class="{foot}">{style.foot}</div></body></html>\n'
    )


def _semantic(style: FrameStyle) -> str:
    head, page, box, link, font = style.palette
    css = (
        f":root{{--a:{head};--l:{link}}}body{{margin:0 auto;max-width:1100px;background:{page};font:17px/1.65 {font};color:#1b1b1b}}"
        f"header{{border-bottom:4px solid var(--a);padding:1rem}}header h2{{margin:0;color:var(--a)}}a{{color:var(--l)}}"
        f"nav ul{{display:flex;flex-wrap:wrap;gap:1rem;list-style:none;margin:.6rem 0 0;padding:0}}"
        f".page{{display:grid;grid-template-columns:minmax(0,1fr) 260px;gap:2.5rem;padding:1rem}}"
        f"aside{{background:{box};padding:1rem;font-size:.9rem;align-self:start}}"
        f"footer{{border-top:1px solid #ccc;padding:1rem;font-size:.85rem;color:#555}}"
        f"th,td{{text-align:left;padding:.35rem .8rem;border-bottom:1px solid #ddd}}.item{{margin:1rem 0}}"
    )
    items = "".join(f"<li>{item}</li>" for item in style.nav)
    return (
        f"{_head(style, css, _HTML5)}<body><header><h2>{style.title}</h2><nav><ul>{items}</ul></nav></header>\n"
        f'<div class="page"><main><nav class="{style.classes[4]}">{GAP}</nav>\n<article>{GAP}</article></main>\n'
        f"<aside>{GAP}\n{style.side}</aside></div>\n<footer>{style.foot}</footer></body></html>\n"
    )


_LAYOUTS = (_tables, _floats, _flex, _grid, _semantic)
