"""Which language a page or a link is in."""

import pytest

from clew.domain.text import language
from clew.domain.text.scripts import letters, scripts_of


@pytest.mark.parametrize(
    ("text", "stated", "lang"),
    [
        ("The council has decided that the old bridge will be closed for the winter.", "", "en"),
        ("Der Rat hat beschlossen, dass die alte Brücke im Winter nicht mehr befahren wird.", "", "de"),
        ("Le conseil a décidé que le vieux pont sera fermé pendant tout l'hiver prochain.", "", "fr"),
        ("Совет решил, что старый мост будет закрыт на всю зиму для проезда машин.", "", "ru"),
        ("Рада вирішила, що старий міст буде закритий на всю зиму для проїзду.", "", "uk"),
        ("市議会は、古い橋を冬の間閉鎖することを決定しました。", "", "ja"),
        ("市议会决定在冬季关闭这座古老的桥梁，以便进行维修。", "", "zh"),
        ("시의회는 겨울 동안 오래된 다리를 폐쇄하기로 결정했습니다.", "", "ko"),
        ("قرر المجلس إغلاق الجسر القديم خلال فصل الشتاء المقبل من أجل الصيانة.", "", "ar"),
        ("परिषद ने निर्णय लिया है कि पुराना पुल सर्दियों के लिए बंद रहेगा।", "", "hi"),
        ("สภาเมืองตัดสินใจปิดสะพานเก่าในช่วงฤดูหนาว", "", "th"),
        ("Το συμβούλιο αποφάσισε να κλείσει την παλιά γέφυρα.", "", "el"),
        # What is stated is believed unless the script says otherwise.
        ("Lorem ipsum dolor sit amet, consectetur adipiscing elit sed do.", "nl-NL", "nl"),
        ("市議会は、古い橋を冬の間閉鎖することを決定しました。", "en-US", "ja"),
        ("Совет решил, что старый мост будет закрыт на всю зиму.", "en", "ru"),
        ("C++", "ja", "ja"),
        ("This page was never translated, and so it still is in English all the way down.", "ja", "en"),
        ("template std::vector の使い方 #include <iostream> int main() { return 0; }", "ja", "ja"),
        ("", "de", "de"),
        ("", "", ""),
        ("12,5 % … 2024", "", ""),
        ("x", "not a language", ""),
    ],
)
def test_the_language_of_a_page(text, stated, lang):
    assert language(text, stated) == lang


@pytest.mark.parametrize(
    ("text", "near", "lang"),
    [
        ("Kontakt", "de", "de"),
        ("Kontakt", "sv", "sv"),
        ("Contact us", "ja", "en"),
        ("お問い合わせ", "en", "ja"),
        ("会社概要", "ja", "ja"),
        ("会社概要", "en", "zh"),
        ("Google検索", "ja", "ja"),
        ("ﾎｰﾑ", "en", "ja"),
        ("로그인", "ja", "ko"),
        ("Русский", "en", "ru"),
        ("Русский", "bg", "bg"),
        ("Ελληνικά", "de", "el"),
        ("עברית", "", "he"),
        ("Über uns", "de", "de"),
        ("»", "ja", "ja"),
        ("2024", "", ""),
        ("\ud800\udfff", "de", "de"),
        ("Home", "", ""),
    ],
)
def test_the_language_of_a_link_is_that_of_its_page_unless_its_letters_differ(text, near, lang):
    assert language(text, near=near) == lang


def test_letters_are_counted_by_script():
    assert letters("Google検索の使い方") == {"latin": 6, "han": 4, "kana": 2}
    assert scripts_of("sr") == {"latin", "cyrillic"}
    assert scripts_of("never heard of") == {"latin"}
