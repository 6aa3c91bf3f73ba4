# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Walk over a document and collect its links, compiled: what `html_walk`, `surroundings` and `anchors` say in plain
Python, on the nodes of the parser themselves. Tests compare the two.
"""

from cpython.array cimport array, extend_buffer
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeASCII, PyUnicode_DecodeUTF8, PyUnicode_Find, PyUnicode_Substring
from libc.stdint cimport uint8_t, uintptr_t
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

from clew.parse._lexbor cimport Attribute, Element, Name, Node, Text

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    bint PyUnicode_IS_ASCII(object text)
    Py_ssize_t PyUnicode_Tailmatch(object text, object other, Py_ssize_t start, Py_ssize_t end, int direction)
    Py_ssize_t PyUnicode_FindChar(object text, Py_UCS4 char, Py_ssize_t start, Py_ssize_t end, int direction)

cdef enum:
    ELEMENT = 1  # types of nodes
    TEXT_TYPE = 3
    TEXT_TAG = 2  # number of the tag of texts
    TAGS = 256  # numbers of tags that lexbor knows are below
    NAMES = 4096  # numbers of attributes that it knows are below; others are addresses
    SHORT = 16  # letters of a name that lie in its entry
    MOST_ELEMENTS = 300_000
    RAW_ANCHOR = 800
    CONTEXT = 200
    BEFORE = 40
    NEAR = 20_000
    BEGINNING = 60
    BLOCK_TEXTS = 4_000_000
    STEPS = 128  # paths of elements that are remembered while a document is read

cdef enum Use:  # bits: what an element is read for
    INVISIBLE = 1
    META = 2
    BASE = 4
    TITLE = 8
    LINK = 16  # and the tags of links
    ANCHOR = 32
    FRAME = 64
    HEAD_LINK = 128

cdef enum Letter:  # bits: where a letter may stand in a clean URL
    FIRST = 1  # of a segment
    INNER = 2
    NAME_FIRST = 4  # of a name without a slash before it
    NAME_INNER = 8

cdef uint8_t[256] LETTERS


cdef void _fill_letters() noexcept:
    cdef int code
    cdef bytes both = b"_~!*()-", segment = b"_~!*()@:,+=&$'-", name = b"_~!*()@,+=&$.-"
    for code in range(256):
        LETTERS[code] = 0
        if 48 <= code <= 57 or 65 <= code <= 90 or 97 <= code <= 122:
            LETTERS[code] = FIRST | INNER | NAME_FIRST | NAME_INNER
    for code in segment:
        LETTERS[code] |= FIRST | INNER
    for code in both:
        LETTERS[code] |= NAME_FIRST
    for code in name:
        LETTERS[code] |= NAME_INNER
    LETTERS[46] |= INNER


_fill_letters()


cdef enum Key:  # attributes that are read, in the order of `html_walk`
    CLASS, HREF, SRC, REL, TYPE, TITLE_KEY, ALT, CONTENT, NAME, HTTP_EQUIV, PROPERTY, HREFLANG, DOWNLOAD, LABEL, COLSPAN, KEYS


cdef struct Found:
    const Node *node
    long place, walked
    int use


cdef struct Step:  # an element below a path, and its own path
    PyObject *outer
    uintptr_t tag
    const uint8_t *classes
    size_t length
    PyObject *path


cdef struct Around:
    PyObject *path
    long depth, area
    Py_ssize_t block
    bint is_row
    double left, width


cdef class Growing:
    """Memory that grows."""

    cdef char *data
    cdef size_t used, room

    def __dealloc__(self):
        free(self.data)

    cdef int put(self, const void *data, size_t size) except -1:
        cdef char *grown
        if self.used + size > self.room:
            self.room = 2 * (self.used + size) + 256
            grown = <char *> realloc(self.data, self.room)
            if grown == NULL:
                raise MemoryError
            self.data = grown
        memcpy(self.data + self.used, data, size)
        self.used += size
        return 0


cdef inline str _decoded(const void *data, size_t length):
    return PyUnicode_DecodeUTF8(<const char *> data, length, "replace")


cdef inline str _value(const Attribute *attribute):
    """Return the value of an attribute, None without one."""
    if attribute == NULL or attribute.value == NULL or attribute.value.data == NULL:
        return None
    return _decoded(attribute.value.data, attribute.value.length)


cdef inline str _entry_name(uintptr_t number):
    cdef const Name *entry = <const Name *> number
    if entry.length > SHORT:
        return _decoded((<const char **> entry.text)[0], entry.length)
    return _decoded(entry.text, entry.length)


cdef inline const Node *_following(const Node *node, const Node *root) noexcept:
    """Return the next node below `root` in document order, NULL behind the last."""
    if node.first_child != NULL:
        return node.first_child
    while node != root and node.next == NULL:
        node = node.parent
    return NULL if node == root else node.next


cdef void _remove(Node *node) noexcept:
    """Take a node out of the tree."""
    if node.parent != NULL:
        if node.parent.first_child == node:
            node.parent.first_child = node.next
        if node.parent.last_child == node:
            node.parent.last_child = node.prev
    if node.next != NULL:
        node.next.prev = node.prev
    if node.prev != NULL:
        node.prev.next = node.next
    node.parent = node.next = node.prev = NULL


cdef void _remove_deep(Node *root) noexcept:
    """Take a node and each one below it out of the tree."""
    cdef Node *node = root
    cdef Node *then
    while True:
        if node.first_child != NULL:
            node = node.first_child
            continue
        if node == root:
            _remove(node)
            return
        then = node.next if node.next != NULL else node.parent
        _remove(node)
        node = then


cdef class LinkReader:
    """Reads documents by the tables of `html_walk` and `tag_paths`.

    `uses` are bits by number of tag, `weights` what tags add to the sum of blocks, `names` tags by number, `keys` the
    names of attributes with lexbor's numbers of them, `tags` its numbers of td, th, tr, img, html and noscript. The
    functions are those of the modules in plain Python.
    """

    cdef uint8_t[TAGS] uses
    cdef long[TAGS] weights
    cdef list names
    cdef tuple keys
    cdef uintptr_t[KEYS] numbers
    cdef object child, outside, span, line, is_clean_origin, kind
    cdef uintptr_t cell, header_cell, row, image, html, noscript

    def __init__(self, uses, weights, names, keys, tags, child, outside, span, line, is_clean_origin, kind):
        cdef int at
        self.names = [names.get(at) for at in range(TAGS)]
        for at in range(TAGS):
            self.uses[at] = uses.get(at, 0)
            self.weights[at] = weights.get(at, 0)
        self.keys = tuple([name.encode() for name, _ in keys])
        for at in range(<int> KEYS):
            self.numbers[at] = keys[at][1]
        self.cell, self.header_cell, self.row, self.image, self.html, self.noscript = tags
        self.child, self.outside, self.span, self.line = child, outside, span, line
        self.is_clean_origin, self.kind = is_clean_origin, kind

    def walk(self, root):
        """Walk over the tree below the element `root`; return what was found."""
        cdef CompiledWalk walk = CompiledWalk.__new__(CompiledWalk)
        walk.tables, walk.root = self, root
        walk.metas, walk.bases, walk.title = [], [], None
        walk.links, walk.invisible = Growing(), Growing()
        walk.over(<const Node *> <uintptr_t> root.mem_id)
        return walk

    cdef const Attribute *attribute(self, const Node *node, int key) noexcept:
        """Return an attribute of an element, NULL if it has none of that name."""
        cdef const Attribute *attribute
        cdef const Name *entry
        cdef uintptr_t number = self.numbers[key]
        cdef bytes name
        if node.type != ELEMENT:
            return NULL
        attribute = (<const Element *> node).first_attribute
        while attribute != NULL:
            if not attribute.qualified_name:
                if number < NAMES:
                    if attribute.node.local_name == number:
                        return attribute
                elif attribute.node.local_name >= NAMES:
                    name = <bytes> self.keys[key]
                    entry = <const Name *> attribute.node.local_name
                    if entry.length == <size_t> len(name) and not memcmp(entry, <const char *> name, entry.length):
                        return attribute
            attribute = attribute.next
        return NULL

    cdef inline str value(self, const Node *node, int key):
        return _value(self.attribute(node, key))

    cdef str tag(self, const Node *node):
        return self.names[node.local_name] if node.local_name < TAGS else _entry_name(node.local_name)


cdef class CompiledWalk:
    """One document: what `HtmlWalk` says of it."""

    cdef LinkReader tables
    cdef readonly object root
    cdef readonly list metas, bases
    cdef str title
    cdef readonly long size, walked
    cdef Growing links, invisible

    cdef int over(self, const Node *root) except -1:
        cdef LinkReader tables = self.tables
        cdef const Node *node = root
        cdef long place = -1, walked = 0
        cdef int use
        cdef Found found
        while node != NULL and place + 1 < MOST_ELEMENTS:
            if node.type != TEXT_TYPE:
                place += 1
                if node.local_name < TAGS:
                    walked += tables.weights[node.local_name]
                    use = tables.uses[node.local_name]
                    if use & LINK:
                        found = Found(node, place, walked, use)
                        self.links.put(&found, sizeof(found))
                    if use & INVISIBLE:
                        self.invisible.put(&node, sizeof(node))
                    elif use & (META | BASE | TITLE):
                        self.read_head(node, use)
            node = _following(node, root)
        self.size, self.walked = place + 1, walked
        return 0

    cdef int read_head(self, const Node *node, int use) except -1:
        cdef LinkReader tables = self.tables
        if use & META:
            self.metas.append((
                {
                    "content": tables.value(node, CONTENT), "name": tables.value(node, NAME),
                    "http-equiv": tables.value(node, HTTP_EQUIV), "property": tables.value(node, PROPERTY),
                },
                node.parent != NULL and node.parent.local_name == tables.noscript,
            ))
        elif use & BASE:
            self.bases.append(tables.value(node, HREF))
        elif self.title is None:
            self.title = _text(node, False)
        return 0

    def title_text(self):
        """Return the text of the title, empty without one."""
        return self.title or ""

    def remove_invisible(self):
        """Take the elements without visible text, and all in them, out of the tree."""
        cdef size_t at
        for at in range(self.invisible.used // sizeof(void *)):
            _remove_deep((<Node **> self.invisible.data)[at])

    def collect(self, collector, str origin, str folder, bint utf8):
        """Add the links of the document to a collector; `origin` and `folder` are those of its base."""
        cdef _Collecting work = _Collecting(self.tables, collector)
        cdef size_t at
        work.origin, work.folder, work.utf8 = origin, folder, utf8
        work.share, work.tags = 1.0 / self.size, max(1, self.walked)
        for at in range(self.links.used // sizeof(Found)):
            work.add(&(<const Found *> self.links.data)[at])


cdef str _text(const Node *root, bint separated):
    """Return the text in a node, with blanks between its pieces if they are to be separated."""
    cdef const Node *node = root
    cdef const Text *first = NULL
    cdef Growing joined = None
    cdef const Text *text
    while node != NULL:
        if node.local_name == TEXT_TAG:
            text = <const Text *> node
            if text.data != NULL:
                if first == NULL:
                    first = text
                else:
                    if joined is None:
                        joined = Growing()
                        joined.put(first.data, first.length)
                    if separated:
                        joined.put(b" ", 1)
                    joined.put(text.data, text.length)
        node = _following(node, root)
    if first == NULL:
        return ""
    if joined is None:
        return _decoded(first.data, first.length)
    return _decoded(joined.data, joined.used)


cdef class _Collecting:
    """The links of one document on their way to a collector."""

    cdef LinkReader tables
    cdef object collector, canon, kind
    cdef array positions, places
    cdef str base, origin, folder
    cdef dict anchors, numbers, cells
    cdef list contexts, paths, rels, kinds, types, kept, texts
    cdef Py_ssize_t most
    cdef Growing arounds, blocks, ends, chain
    cdef Around outside
    cdef Step[STEPS] steps
    cdef bint utf8
    cdef double share
    cdef long tags, left_over

    def __init__(self, LinkReader tables, collector):
        self.tables, self.collector = tables, collector
        self.canon, self.base, self.most = collector.canon, collector.base, collector.limit
        self.anchors, self.contexts, self.paths = collector.anchors, collector.contexts, collector.paths
        self.rels, self.kinds, self.types = collector.rels, collector.kinds, collector.types
        self.positions, self.places, self.kind = collector.positions, collector.places, tables.kind
        self.numbers, self.cells, self.kept, self.texts = {}, {}, [], []
        self.arounds, self.blocks, self.ends, self.chain = Growing(), Growing(), Growing(), Growing()
        self.left_over = BLOCK_TEXTS
        memset(self.steps, 0, sizeof(self.steps))
        outside = tables.outside
        self.outside = Around(<PyObject *> outside, outside.depth, outside.area, -1, False, 0.0, 1.0)

    cdef int add(self, const Found *found) except -1:
        cdef LinkReader tables = self.tables
        cdef const Node *node = found.node
        cdef const Attribute *reference = tables.attribute(node, SRC if found.use & FRAME else HREF)
        cdef str url, text, anchor, known, context
        cdef const Around *around
        cdef Py_ssize_t at = 0
        if reference == NULL or reference.value == NULL or not reference.value.length:
            return 0
        if _leads_elsewhere(reference.value.data, reference.value.length):
            return 0
        if found.use & HEAD_LINK:
            self.collector.add_head_link(_value(reference), {
                "rel": tables.value(node, REL), "title": tables.value(node, TITLE_KEY),
                "type": tables.value(node, TYPE), "hreflang": tables.value(node, HREFLANG),
            }, found.place * self.share)
            return 0
        url = self.url_of(reference.value.data, reference.value.length)
        if url is None:
            return 0
        text = _text(node, True) if found.use & ANCHOR else ""
        if PyUnicode_GET_LENGTH(text) > RAW_ANCHOR:
            text = PyUnicode_Substring(text, 0, RAW_ANCHOR)
        anchor = self.other_words(node) if not text or text.isspace() else text
        if url in self.anchors or len(self.contexts) >= self.most:
            known = self.anchors.get(url)
            if known is not None and PyUnicode_GET_LENGTH(anchor) > PyUnicode_GET_LENGTH(known):
                self.anchors[url] = anchor
            return 0
        around = self.around(node.parent)
        context = self.context(around.block, text)
        self.anchors[url] = anchor
        self.contexts.append(context)
        self.add_columns(found, around)
        return 0

    cdef int add_columns(self, const Found *found, const Around *around) except -1:
        """Add tag path, rel, type and position of a link."""
        cdef LinkReader tables = self.tables
        cdef const Node *node = found.node
        cdef double x = around.left + around.width / 2
        cdef double y = <double> (found.walked - around.depth) / <double> self.tags
        cdef float[1] position
        cdef float[5] place
        cdef str rel = tables.value(node, REL), type_ = tables.value(node, TYPE)
        if not type_:
            type_ = tables.value(node, DOWNLOAD)
        self.paths.append((<object> self.path(around.path, node)).text)
        self.rels.append(tables.line(rel.lower(), 80) if rel else "")
        self.types.append(tables.line(type_, 100).lower() if type_ else "")
        self.kinds.append(self.kind)
        position[0] = <float> (found.place * self.share)
        place[0] = place[2] = <float> x
        place[1] = place[3] = <float> y
        place[4] = <float> around.area
        extend_buffer(self.positions, <char *> position, 1)
        extend_buffer(self.places, <char *> place, 5)
        return 0

    # ---- URLs ----------------------------------------------------------------------------------------------

    cdef str url_of(self, const uint8_t *data, size_t length):
        """Return the canonical URL of a reference, or None when it cannot be fetched."""
        cdef str url = self.clean_url(data, length), href
        if url is not None:
            return url
        href = _decoded(data, length)
        if href.isspace():
            return None
        if self.utf8 or PyUnicode_IS_ASCII(href):
            return self.canon(href, self.base)
        return self.collector.url_of(href)

    cdef str clean_url(self, const uint8_t *data, size_t length):
        """Return the URL of a reference that is clean already, as `Canon` does; None for all others."""
        cdef size_t at = 0
        if not self.origin or length > 2_000:
            return None
        if data[0] == 47:
            return self.joined(self.origin, data, _clean_end(data, 0, length), length)
        if length >= 4 and not memcmp(data, b"http", 4):
            at = 8
            while at < length and data[at] != 47:
                at += 1
            if at >= length or not self.tables.is_clean_origin(_decoded(data, at + 1)):
                return None
            return self.joined("", data, _clean_end(data, at, length), length)
        if not LETTERS[data[0]] & NAME_FIRST:
            return None
        while at < length and LETTERS[data[at]] & NAME_INNER:
            at += 1
        if at < length and data[at] == 47:
            at = _clean_end(data, at, length)
        return self.joined(self.folder, data, at, length)

    cdef str joined(self, str before, const uint8_t *data, size_t end, size_t length):
        """Return a URL that is clean up to `end`, if that is its end or a fragment follows."""
        if end < length and data[end] != 35:
            return None
        if PyUnicode_GET_LENGTH(before) + end > 2_048:
            return None
        url = PyUnicode_DecodeASCII(<const char *> data, end, NULL)
        return before + url if before else url

    # ---- texts ---------------------------------------------------------------------------------------------

    cdef str other_words(self, const Node *root):
        """Return a replacement for the missing text of a link: the alt text of its image, else its title."""
        cdef LinkReader tables = self.tables
        cdef const Node *node = root
        cdef const Attribute *found
        cdef str label = tables.value(root, ALT)
        while not label and node != NULL:
            if node.local_name == tables.image:
                found = tables.attribute(node, ALT)
                if found != NULL:
                    label = _value(found)
                    break
            node = _following(node, root)
        label = label or tables.value(root, TITLE_KEY) or tables.value(root, LABEL)
        return tables.line(label, CONTEXT) if label else ""

    cdef str context(self, Py_ssize_t block, str anchor):
        """Return the text of a block, or the part of it around an anchor."""
        cdef str text
        cdef Py_ssize_t at, found, begin, before
        cdef Py_ssize_t *ends = <Py_ssize_t *> self.ends.data
        if block < 0:
            return ""
        text, at = self.texts[block], ends[block]
        if text is None:
            text = self.texts[block] = self.read((<const Node **> self.blocks.data)[block])
        if anchor:
            found = PyUnicode_Find(text, PyUnicode_Substring(anchor, 0, BEGINNING), at, at + NEAR, 1)
            if found >= 0:
                at = found
        ends[block] = at + 1
        if PyUnicode_GET_LENGTH(text) <= CONTEXT:
            return text
        before = CONTEXT - PyUnicode_GET_LENGTH(anchor)
        before = before // 2 if before >= 0 else -1  # any number below the least will do
        begin = max(0, at - max(<Py_ssize_t> BEFORE, before))
        return PyUnicode_Substring(text, begin, begin + CONTEXT)

    cdef str read(self, const Node *node):
        cdef str text
        if self.left_over <= 0:
            return ""
        text = _text(node, True)
        self.left_over -= PyUnicode_GET_LENGTH(text) + 100
        return text

    # ---- elements around links -----------------------------------------------------------------------------

    cdef const Around *around(self, const Node *node) except NULL:
        """Return what is around the children of a node; it holds until another element is entered."""
        cdef PyObject *known = NULL
        cdef Around around
        self.chain.used = 0
        while node != NULL:
            known = PyDict_GetItem(self.numbers, <uintptr_t> node)
            if known != NULL or node.type != ELEMENT or node.local_name == self.tables.html:
                break
            self.chain.put(&node, sizeof(node))
            node = node.parent
        if known == NULL:
            if not self.chain.used:
                return &self.outside
            around = self.outside
        else:
            if not self.chain.used:
                return &(<const Around *> self.arounds.data)[<Py_ssize_t> <object> known]
            around = (<const Around *> self.arounds.data)[<Py_ssize_t> <object> known]
        while self.chain.used:
            self.chain.used -= sizeof(node)
            self.enter(&around, (<const Node **> (self.chain.data + self.chain.used))[0])
        return <const Around *> (self.arounds.data + self.arounds.used - sizeof(Around))

    cdef int enter(self, Around *around, const Node *node) except -1:
        """Make what is around an element what is around its children."""
        cdef LinkReader tables = self.tables
        cdef Py_ssize_t end = 0
        cdef bint in_row = around.is_row
        path = <object> self.path(around.path, node)
        if around.block < 0 or not path.inline:
            around.block = len(self.texts)
            self.texts.append(None)
            self.blocks.put(&node, sizeof(node))
            self.ends.put(&end, sizeof(end))
        if in_row and (node.local_name == tables.cell or node.local_name == tables.header_cell):
            self.take_cell(around, node)
        around.path, around.depth, around.area = <PyObject *> path, path.depth, path.area
        around.is_row = node.local_name == tables.row
        self.numbers[<uintptr_t> node] = <Py_ssize_t> (self.arounds.used // sizeof(Around))
        self.arounds.put(around, sizeof(Around))
        return 0

    cdef PyObject *path(self, PyObject *outer, const Node *node) except NULL:
        """Return the path of an element: that of the last one with this tag and class at the same place, or a new one."""
        cdef LinkReader tables = self.tables
        cdef const Attribute *named = tables.attribute(node, CLASS)
        cdef const uint8_t *classes = NULL
        cdef size_t length = 0
        cdef Step *step
        if named != NULL and named.value != NULL:
            classes, length = named.value.data, named.value.length
        step = &self.steps[
            ((<uintptr_t> outer >> 4) * 31 + node.local_name * 7 + length + (classes[length - 1] if length else 0)) % STEPS
        ]
        if (step.path == NULL or step.outer != outer or step.tag != node.local_name or step.length != length
                or (length and memcmp(step.classes, classes, length))):
            path = tables.child(<object> outer, tables.tag(node), _value(named))
            self.kept.append(path)
            step[0] = Step(outer, node.local_name, classes, length, <PyObject *> path)
        return step.path

    cdef int take_cell(self, Around *around, const Node *cell) except -1:
        """Narrow what is around a row to one of its cells."""
        cdef LinkReader tables = self.tables
        cdef const Node *node
        cdef long whole = 0, first, columns
        cdef list found
        if <uintptr_t> cell not in self.cells:
            node, found = cell.parent.first_child, []
            while node != NULL:
                if node.local_name == tables.cell or node.local_name == tables.header_cell:
                    columns = tables.span(tables.value(node, COLSPAN))
                    found.append((<uintptr_t> node, whole, columns))
                    whole += columns
                node = node.next
            for number, first, columns in found:
                self.cells[number] = <double> first / <double> whole, <double> columns / <double> whole
        left, width = self.cells[<uintptr_t> cell]
        around.left, around.width = around.left + <double> left * around.width, <double> width * around.width
        return 0


def has_name(bytes markup, bytes before, bytes after):
    """Tell whether a name with a dot is in the markup: dots are rare, and found as fast as memory is read."""
    cdef const uint8_t *data = <const uint8_t *> <const char *> markup
    cdef const uint8_t *end = data + len(markup)
    cdef const uint8_t *at = data
    cdef Py_ssize_t left = len(before), right = len(after)
    while True:
        at = <const uint8_t *> memchr(at, 46, end - at)
        if at == NULL:
            return False
        if at - data >= left and end - at > right and not memcmp(at + 1, <const char *> after, right):
            if not memcmp(at - left, <const char *> before, left):
                return True
        at += 1


def origins_of(list urls, str home):
    """Return the origins of canonical URLs; most are `home`, that of the page, and equal ones are one string."""
    cdef Py_ssize_t near = PyUnicode_GET_LENGTH(home), end
    cdef list found = []
    cdef dict shared = {}
    cdef str url, origin
    for url in urls:
        if PyUnicode_GET_LENGTH(url) > near and url[near] == 47 and PyUnicode_Tailmatch(url, home, 0, near, -1):
            found.append(home)
            continue
        end = PyUnicode_FindChar(url, 47, 8, PyUnicode_GET_LENGTH(url), 1)
        origin = url if end < 0 else PyUnicode_Substring(url, 0, end)
        found.append(shared.setdefault(origin, origin))
    return found


cdef size_t _clean_end(const uint8_t *data, size_t at, size_t length) noexcept:
    """Return where the clean segments of a path end that begins with a slash."""
    while at < length and data[at] == 47:
        at += 1
        if at == length or not LETTERS[data[at]] & FIRST:
            return at
        while at < length and LETTERS[data[at]] & INNER:
            at += 1
    return at


cdef bint _leads_elsewhere(const uint8_t *data, size_t length) noexcept:
    """Tell whether a reference leads to no other page, in its most usual spellings."""
    return (
        data[0] == 35
        or (length >= 11 and not memcmp(data, b"javascript:", 11))
        or (length >= 7 and not memcmp(data, b"mailto:", 7))
        or (length >= 4 and not memcmp(data, b"tel:", 4))
        or (length >= 5 and not memcmp(data, b"data:", 5))
    )
