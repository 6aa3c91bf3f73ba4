"""Japanese sentences. Slots: {n} a noun, {a} an adjective, {v} a verb in the plain past, with g general ones."""

# ruff: noqa: E501 - tables of patterns

from clew.lab.synthetic import words_ja
from clew.lab.synthetic.grammar import Grammar, MenuWords, rows
from clew.lab.synthetic.randomness import Throw

_TOPICAL = rows("""
@の{a}{n}は#年に{v}。
{n}と{n}について、^さんに話を聞いた。
#年、@で{n}が{v}。
この{n}は~の{n}よりも{a}ものとして知られている。
{a}{n}のそばに、{n}がある。
{n}がなければ、{n}は成り立たない。
^さんによると、{n}は%年に一度{v}という。
@には{n}が&か所あり、その多くは{a}ものだ。
{n}の仕組みを、{n}を例に説明する。
昔の{n}は{n}とともに{v}。
{a}{n}を見るなら、@がよい。
{n}を守る会が#年に発足した。
毎年この時期になると、{n}と{n}が話題になる。
図の左側が{n}、右側が{n}である。
%年に{v}{n}は、今も残っている。
""")

_GENERAL = rows("""
{ga}{gn}のことを、今でもよく覚えている。
#年の{gn}は&人でにぎわった。
^さん、ありがとうございました。
@から歩いて&分ほどの{gn}である。
{gn}については、また次の機会に書きたい。
それは{ga}{gn}の始まりだった。
{gn}は%年に{gv}。
ご意見やご感想をお待ちしています。
{gn}と{gn}を大切にしたい。
~でも{ga}{gn}が{gv}そうだ。
くわしくは係までお問い合わせください。
この{gn}は、地元の人にもあまり知られていない。
""")

_MENTION = rows("""
喫茶「{n}」で@の友人に会った。
{n}通りは#年から一方通行になった。
小説の題は「{n}」だが、{n}は出てこない。
{n}という名前の会社が~に移った。
""")

_TITLES = rows("""
@の{n}
{n}と{n}
{a}{n}を訪ねて
{n}の歴史
@と{n}の話
#年の{n}
{n}はなぜ{v}のか
^さんの{n}
{n}入門
""")

_DIM_TITLES = rows("""
@だより
{ga}{gn}の話
#年の記録
^さんの思い出
{gn}と{gn}
""")

_HEADS = rows("""
{n}について
{n}と{n}
{a}{n}
{gn}のこと
参考資料
""")

_PHRASES = rows("""
{n}
{n}と{n}
{a}{n}
@の{n}
""")

_READ_MORE = [
    "続きを読む",
    "詳しくはこちら",
    "こちら",
    "もっと見る",
    "詳細",
    "次へ",
    "全文を読む",
    "ここ",
    "»",
    "もっと",
]
_LEADS = ("{}も参照。", "くわしくは{}へ。", "関連記事:{}。", "({})", "{}と比べてみよう。", "初出は{}。")
_MENU = {
    "home": "ホーム,トップページ,最初の頁", "about": "当会について,概要,私たちについて", "contact": "お問い合わせ,交通案内,所在地",
    "overview": "サイトマップ,目次,一覧", "links": "リンク集,リンク,関連サイト", "search": "検索,さがす",
    "login": "ログイン,会員用", "latest": "新着,最新情報,更新情報", "popular": "人気記事,よく読まれています",
    "related": "関連記事,あわせて読む,こちらもどうぞ", "next": "次へ,次のページ,>", "back": "前へ,戻る,<",
    "print": "印刷用,印刷用ページ", "files": "資料,データ,ダウンロード", "sort": "名前順,年順,場所順",
    "lost": "ページが見つかりません,該当なし", "sorry": "お探しのページは見つかりませんでした。移動したかもしれません。",
    "list": "一覧,この欄の記事,目次", "welcome": "ようこそ", "copyright": "無断転載を禁じます。",
    "private": "会員の方はログインしてください。", "partners": "協力団体,友の会,姉妹サイト", "page": "頁",
    "sections": "特集,資料室,記録,雑記,図書室,人,報告,連載,背景,書庫",
    "imprint": "運営者情報,会社概要", "feed": "更新情報", "moved": "移転しました",
}  # fmt: skip


class JapaneseSlots(MenuWords):
    """The words for one sentence."""

    def __init__(self, throw: Throw, topic: str, dim: bool) -> None:
        super().__init__(throw)
        self.words = _DIM[topic] if dim else _WORDS[topic]

    def __missing__(self, slot: str) -> str:
        table = self.words
        if slot[0] == "g":
            table, slot = _WORDS[""], slot[1:]
        return self.one(table["nav".index(slot)])


_WORDS = {name: [row.split() for row in table[1:]] for name, table in words_ja.WORDS.items()}
_WORDS[""] = [row.split() for row in words_ja.GENERAL]
_DIM = {name: [table[0][5:], *table[1:]] for name, table in _WORDS.items()}

GRAMMAR = Grammar(
    _TOPICAL, _GENERAL, _MENTION, _TITLES, _DIM_TITLES, _HEADS, _PHRASES, _READ_MORE, _LEADS, _MENU, JapaneseSlots, ""
)  # fmt: skip
