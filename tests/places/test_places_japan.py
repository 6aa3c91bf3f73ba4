"""Japanese addresses as people write them, and what only looks like one."""

import pytest

from clew.domain.places import find

SURE = 0.5
HEAD = "東京都千代田区丸の内"

WRITTEN = {
    # the block, in all its spellings
    "東京都千代田区丸の内1丁目9番1号": HEAD + "1-9-1",
    "東京都千代田区丸の内１丁目９番１号": HEAD + "1-9-1",
    "東京都千代田区丸の内一丁目九番一号": HEAD + "1-9-1",
    "東京都千代田区丸の内1-9-1": HEAD + "1-9-1",
    "東京都千代田区丸の内１－９－１": HEAD + "1-9-1",
    "東京都千代田区丸の内1−9−1": HEAD + "1-9-1",
    "東京都千代田区丸の内1‐9‐1": HEAD + "1-9-1",
    "東京都千代田区丸の内１ー９ー１": HEAD + "1-9-1",
    "東京都千代田区丸の内1丁目9-1": HEAD + "1-9-1",
    "東京都千代田区丸の内1の9の1": HEAD + "1-9-1",
    "東京都千代田区丸ノ内1-9-1": HEAD + "1-9-1",
    "東京都千代田区丸の内一丁目": HEAD + "1丁目",
    "東京都新宿区西新宿二－八－一": "東京都新宿区西新宿2-8-1",
    "東京都新宿区西新宿二丁目十一番二十三号": "東京都新宿区西新宿2-11-23",
    "長野県松本市丸の内3番7号": "長野県松本市丸の内3-7",
    "北海道石狩郡当別町白樺町58番地9": "北海道石狩郡当別町白樺町58-9",
    "広島県府中市府川町315": "広島県府中市府川町315",
    # postal codes
    "〒100-0005 東京都千代田区丸の内1-9-1": HEAD + "1-9-1",
    "〒100-0005東京都千代田区丸の内1-9-1": HEAD + "1-9-1",
    "〒１００－０００５　東京都千代田区丸の内１－９－１": HEAD + "1-9-1",
    "100-0005 東京都千代田区丸の内1-9-1": HEAD + "1-9-1",
    "郵便番号100-0005 千代田区丸の内": HEAD,
    "〒100-0005 丸の内1-9-1": HEAD + "1-9-1",
    "〒1000005 丸の内1-9-1": HEAD + "1-9-1",
    # without the prefecture, or without what belongs to its name
    "千代田区丸の内1-9-1": HEAD + "1-9-1",
    "東京 千代田区丸の内1-9-1": HEAD + "1-9-1",
    "東京千代田区丸の内1-9-1": HEAD + "1-9-1",
    "東京都八王子元本郷町3-24-1": "東京都八王子市元本郷町3-24-1",
    "札幌市中央区北1条西2丁目": "北海道札幌市中央区北一条西2丁目",
    "横浜中区日本大通1-2": "神奈川県横浜市中区日本大通1-2",
    "横浜市 中区 日本大通 1-2": "神奈川県横浜市中区日本大通1-2",
    "当別町白樺町58番地9": "北海道石狩郡当別町白樺町58-9",
    "石狩郡 当別町 白樺町 58-9": "北海道石狩郡当別町白樺町58-9",
    "北海道 石狩郡 当別町 白樺町 58-9": "北海道石狩郡当別町白樺町58-9",
    "名古屋市三の丸3-1-2": "愛知県名古屋市三の丸3-1-2",
    # two towns of one name: what follows says which
    "府中市宮西町2-24": "東京都府中市宮西町2-24",
    "府中市府川町315": "広島県府中市府川町315",
    "東京都府中市宮西町2-24": "東京都府中市宮西町2-24",
    "鹿島市1丁目2番3号": "佐賀県鹿島市1-2-3",
    "鹿嶋市1丁目2番3号": "茨城県鹿嶋市1-2-3",
    "八丈町大賀郷2551-2": "東京都八丈島八丈町大賀郷2551-2",
    # one name, several spellings
    "千葉県鎌ヶ谷市新鎌ケ谷二丁目6番1号": "千葉県鎌ケ谷市新鎌ケ谷2-6-1",
    "千葉県鎌ケ谷市新鎌ヶ谷2-6-1": "千葉県鎌ケ谷市新鎌ケ谷2-6-1",
    "千葉県鎌ヶ谷市新鎌が谷2-6-1": "千葉県鎌ケ谷市新鎌ケ谷2-6-1",
    "大阪府四条畷市中野本町1-1": "大阪府四條畷市中野本町1-1",
    "大阪府四條畷市中野本町1番1号": "大阪府四條畷市中野本町1-1",
    "札幌市北区北十二条西3-2": "北海道札幌市北区北十二条西3-2",
    "札幌市北区北１２条西３丁目": "北海道札幌市北区北十二条西3丁目",
    "茨城県竜ケ崎市3710番地": "茨城県龍ケ崎市3710",
    # 大字, 字, streets of Kyoto
    "埼玉県さいたま市大宮区大字高鼻町123番地": "埼玉県さいたま市大宮区高鼻町123",
    "埼玉県さいたま市大宮区高鼻町字上原123番地4": "埼玉県さいたま市大宮区高鼻町123-4",
    "京都市中京区烏丸通御池上る二条殿町538": "京都府京都市中京区二条殿町538",
    "京都府京都市下京区四条通烏丸東入ル長刀鉾町20番地": "京都府京都市下京区長刀鉾町20",
    "京都市下京区四条通烏丸東入る長刀鉾町20": "京都府京都市下京区長刀鉾町20",
    # a name follows the number; a ward and a city that are no more; an office with a code of its own
    "港区六本木6-10-1": "東京都港区六本木6-10-1",
    "浜松市中区元城町103-2": "静岡県浜松市元城町103-2",
    "埼玉県大宮市高鼻町1丁目407番地": "埼玉県大宮市高鼻町1-407",
    "静岡県清水市旭町6-8": "静岡県清水市旭町6-8",
    "〒310-8555 水戸市笠原町978番6": "茨城県水戸市笠原町978-6",
    # blanks and line ends, as the parser leaves them between tags
    "東京都\n千代田区\n丸の内\n1-9-1": HEAD + "1-9-1",
    "〒100-0005\n東京都千代田区丸の内1-9-1": HEAD + "1-9-1",
    "東京都 千代田区 丸の 内 1-9-1": HEAD + "1-9-1",
    "東京都千代田区丸の内　１丁目　９番　１号": HEAD + "1-9-1",
    "東京都\u200b千代田区\xa0丸の内1-9-1": HEAD + "1-9-1",
}


@pytest.mark.parametrize(("text", "normal"), WRITTEN.items())
def test_an_address_has_one_normal_form(text, normal):
    places = find(f"本社は\n{text}\nにあります。", "jp")
    assert [place.normal for place in places] == [normal]
    assert places[0].confidence >= SURE
    assert places[0].text == text


NOT_AN_ADDRESS = [
    "大阪城と東京タワーと京都タワーを見た",
    "東京都市大学は世田谷区にある",
    "東京都知事と京都府知事",
    "横浜市で2-1で勝利した",
    "横浜市は3-0で川崎市に勝った",
    "千葉さんと山口さんと福島さんと宮崎さん",
    "電話 03-1234-5678 ファクス 03-1234-5679",
    "電話は 100-0005 です",
    "市町村の区分と区間の区切りを町村ごとに示す",
    "中央区の人口は12万人、北区は3万人",
    "大阪市立大学と札幌市民会館",
    "東京都江東区立深川第一中学校",
    "2024年3月に福岡市で開催",
    "北海道から沖縄県までの47都道府県",
    "府中市と国分寺市",
    "文京区民センターで会う",
    "東京都文京区で会いましょう",
    "std::vector の要素を区間 [first, last) で指定する",
    "〒 は郵便記号である",
    "〒999-9999 は存在しない",
    "京都市1位、大阪市2位",
    "東京都知事は市内3-4か所で",
    "神奈川県内の市町村1-2月分",
    "",
]


@pytest.mark.parametrize("text", NOT_AN_ADDRESS)
def test_what_only_looks_like_an_address_is_none(text):
    assert [place.text for place in find(text, "jp") if place.confidence >= SURE] == []


def test_a_number_ends_where_a_name_begins():
    assert [place.number for place in find("港区六本木6-10-1六本木ヒルズ、西新宿", "jp")] == ["6-10-1"]


def test_the_parts_are_named():
    (place,) = find("〒604-0845 京都市中京区烏丸通御池上る二条殿町538 電話 075-123-4567", "jp")
    assert (place.region, place.city, place.town) == ("京都府", "京都市中京区", "二条殿町")
    assert (place.street, place.number, place.postal) == ("烏丸通御池上る", "538", "604-0845")
    assert place.country == "jp"
    assert (round(place.latitude), round(place.longitude)) == (35, 136)


def test_a_town_says_more_than_a_city_and_a_block_more_than_a_town():
    steps = [
        "東京都千代田区",
        "千代田区丸の内",
        "東京都千代田区丸の内",
        "千代田区丸の内1-9-1",
        "東京都千代田区丸の内1-9-1",
    ]
    sure = [find(text, "jp")[0].confidence for text in steps]
    assert sure == sorted(sure)
    assert sure[1] < SURE <= sure[2]


def test_a_prefecture_that_is_not_sure_is_left_open():
    (place,) = find("府中市1丁目2番3号", "jp")
    assert (place.region, place.latitude) == ("", None)
    assert place.normal == "府中市1-2-3"


def test_a_code_of_another_prefecture_does_not_vouch():
    (place,) = find("〒530-0001 千代田区丸の内", "jp")[-1:]
    assert (place.postal, place.confidence < SURE) == ("", True)


def test_several_addresses_come_in_their_order():
    text = "本社 東京都千代田区丸の内1-9-1 電話 03-1111-2222 支社 〒060-0042 札幌市中央区大通西12丁目 工場 金沢市広坂1-1-1"
    assert [place.normal for place in find(text, "jp")] == [
        "東京都千代田区丸の内1-9-1", "北海道札幌市中央区大通西12丁目", "石川県金沢市広坂1-1-1",
    ]  # fmt: skip
