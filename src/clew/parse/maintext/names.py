"""What the names of elements (class, id, itemprop) say about the text in them, as bits of groups."""

_STEMS = {
    "navigation": "navig navbar breadcrumb pagination pager menu toolbar topbar sitemap paginat jumplist",
    "footer": "footer colophon copyright legal imprint disclaimer",
    "header": "header masthead banner logo",
    "sidebar": "sidebar widget secondary rail complementary sidenav tableofcontent",
    "comment": "comment disqus reply replies respond discussion",
    "related": "related recommend teaser promo popular trending readmore readnext morefrom similar upsell"
    " crosssell latest featured suggest alsolike youmay recent carousel slider swiper interlink",
    "share": "share sharing social follow facebook twitter whatsapp pinterest addtoany",
    "advert": "advert sponsor outbrain taboola adsense dfp adslot adunit adbox affiliate commercial",
    "notice": "cookie consent gdpr modal popup overlay newsletter subscri signup login register paywall alert"
    " toast notification optin donat dialog tooltip",
    "author": "author byline biography avatar profile contributor vcard",
    "meta": "meta date timestamp published category categories taxonomy hashtag keyword readtime",
    "content": "content article story articlebody entrycontent postbody maintext richtext prose wysiwyg"
    " markdown bodytext rte",
    "product": "product price cart sku variant basket checkout shipping wishlist swatch quantity",
    "detail": "descri detail specif overview summary feature about intro excerpt abstract lead",
    "review": "review rating testimonial stars feedback",
    "item": "item card tile grid listing result collection",
    "media": "caption gallery video image photo thumb player credit",
    "post": "message thread topic answer question forum bbcode cooked usertext postcontent",
    "fold": "accordion collaps toggle faq panel expand tabpane tabcontent",
    "hidden": "hidden screenreader visuallyhidden offscreen skiplink invisible noprint",
    "form": "form search filter sort facet input button btn submit dropdown select cta login",
    "title": "title headline heading subtitle standfirst",
}
_WHOLE = {
    "navigation": "nav toc tabs tab crumbs crumb pages page-numbers steps skip languages lang",
    "footer": "foot bottom ft",
    "header": "head top hd hero",
    "sidebar": "side aside right left col2 sticky",
    "related": "more next prev previous slick others see read-more sibling",
    "share": "fb sns sm",
    "advert": "ad ads adv dfp gpt promoted",
    "notice": "sign bar",
    "author": "bio user by name poster member",
    "meta": "tag tags cat info posted time label labels stats status badge count views",
    "content": "main entry post body text copy articletext single",
    "item": "list cards items row product-card",
    "media": "img figure pic credits",
    "hidden": "sr hide visually none",
    "detail": "desc lede dek",
    "form": "btn",
}
# German, French, Spanish, Italian, Portuguese, Dutch: on most sites names are English, but not on all.
_FOREIGN_STEMS = {
    "navigation": "brotkrume kruemel hauptmenue filariane navega briciole kruimel bladwijzer",
    "footer": "fusszeile fussbereich fussnavi piedpage pieddepage piepagina piedepagina rodape impressum",
    "header": "kopfzeile kopfbereich entete cabecera cabecalho testata koptekst",
    "sidebar": "seitenleiste randspalte marginalspalte barralateral barrelaterale zijbalk",
    "comment": "kommentar comentar reactie",
    "related": "aehnlich ähnlich weiterlesen meistgelesen empfehl anreisser similaire relacionad correlat"
    " gerelateerd lireaussi leesook leertambien",
    "share": "teilen partag compartir compartilh condivid",
    "advert": "werbung anzeigenblock publicit publicid pubblicit reklame",
    "notice": "hinweis anmeldung anmelden abonnier abonnement suscrib suscripc inscription inscricao"
    " iscriviti registrier",
    "author": "autoren autorin verfasser redakteur",
    "meta": "veroeffentlich veröffentlich schlagwort schlagwoert kategori categoria etiquetas rubrique",
    "content": "artikel beitrag inhalt fliesstext haupttext contenu contenid conteud contenut articulo"
    " articolo artigo inhoud noticia notizia",
    "product": "produkt produit producto produto prodott warenkorb panier carrito carrinho carrello"
    " winkelwagen",
    "detail": "beschreibung eigenschaft einleitung zusammenfassung vorspann omschrijving",
    "review": "bewertung rezension valoraci avaliac recension",
    "item": "eintrag kachel ergebnis resultat",
    "media": "bildunterschrift bildtext galerie galeria legende fotostrecke",
    "post": "beitrag nachricht frage antwort respuesta resposta",
    "form": "suche recherche busqueda formular filtre filtro",
    "title": "ueberschrift überschrift titre titulo titolo schlagzeile dachzeile untertitel",
}
_FOREIGN_WHOLE = {
    "navigation": "menü menue",
    "footer": "fuss fuß pied",
    "header": "kopf tete",
    "sidebar": "marginalie lateral",
    "comment": "reponse",
    "related": "verwandt mehr auch",
    "share": "delen",
    "advert": "anzeige",
    "author": "autor autore auteur auteurs",
    "meta": "datum fecha",
    "content": "texte texto testo tekst meldung bericht cuerpo",
    "product": "preis prix precio preco prezzo",
    "detail": "chapo sommario resumen resumo",
    "review": "avis",
    "item": "liste lista elenco treffer",
    "media": "bild foto",
    "title": "titel",
}
GROUPS = tuple(_STEMS)
_BIT = {name: 1 << at for at, name in enumerate(GROUPS)}
_BEGINNING = 3  # letters by which stems are found: the shortest stem
_BY_BEGINNING: dict[str, list[tuple[str, int]]] = {}
for _name, _stems in (*_STEMS.items(), *_FOREIGN_STEMS.items()):
    for _stem in _stems.split():
        _BY_BEGINNING.setdefault(_stem[:_BEGINNING], []).append((_stem, _BIT[_name]))
_WHOLE_BITS: dict[str, int] = {}
for _name, _words in (*_WHOLE.items(), *_FOREIGN_WHOLE.items()):
    for _word in _words.split():
        _WHOLE_BITS[_word] = _WHOLE_BITS.get(_word, 0) | _BIT[_name]
_LETTERS = {code: " " for code in range(128) if not chr(code).isalpha()}
_MOST = 50_000
_LONGEST = 160
_SHORTEST = 4  # letters of a stem, at least: shorter words have to be whole


class _WordBits(dict[str, int]):
    """The groups of each word in a name; a word belongs to a group if it holds one of its stems."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST:
            self.clear()
        bits = _WHOLE_BITS.get(word, 0)
        if len(word) >= _SHORTEST:
            for at in range(len(word) - _BEGINNING + 1):
                for stem, bit in _BY_BEGINNING.get(word[at : at + _BEGINNING], ()):
                    if word.startswith(stem, at):
                        bits |= bit
        self[word] = bits
        return bits


class _NameBits(dict[str, int]):
    def __missing__(self, name: str) -> int:
        if len(self) >= _MOST:
            self.clear()
        bits = 0
        for word in name[:_LONGEST].lower().translate(_LETTERS).split():
            bits |= _WORDS[word]
        self[name] = bits
        return bits


_WORDS = _WordBits()
NAMES = _NameBits()
"""The groups of a name, as bits."""
