//! Words with a part in claims: measures that have several names, events, plans, changes, and words that add nothing.
//!
//! Owns the lists. A word that stands in no list keeps its own form and counts as part of what a claim is about.

use std::collections::HashMap;
use std::sync::OnceLock;

/// What a word does in a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Part of what the claim is about, in its one form.
    Subject(String),
    /// Something that happened, so that a date can be its value.
    Event(&'static str),
    /// Intended, not so.
    Plan,
    /// More or less than before.
    Change(&'static str),
    /// Says that the claim is not made.
    Doubt,
    Nothing,
}

/// The part of a word, given in the form in which words are compared, and in lower case.
pub(crate) fn part(key: &str, lower: &str) -> Part {
    let (events, measures) = lists();
    if let Some(event) = events.get(lower) {
        return Part::Event(event);
    }
    for (list, made) in
        [(PLAN, Part::Plan), (UP, Part::Change("up")), (DOWN, Part::Change("down")), (DOUBT, Part::Doubt)]
    {
        if has(list, lower) || has(list, key) {
            return made;
        }
    }
    // Korean and Chinese verbs carry their endings with them, so that beginnings are compared.
    if !lower.is_ascii() {
        for (beginnings, made) in
            [(PLAN_PARTS, Part::Plan), (UP_PARTS, Part::Change("up")), (DOWN_PARTS, Part::Change("down"))]
        {
            if beginnings.split(' ').any(|part| lower.starts_with(part)) {
                return made;
            }
        }
        if NOTHING_PARTS.split(' ').any(|part| lower.starts_with(part)) {
            return Part::Nothing;
        }
    }
    if let Some(measure) = measures.get(key) {
        return Part::Subject((*measure).to_owned());
    }
    let is_past = lower.is_ascii() && lower.len() > 4 && lower.ends_with("ed") && !has(MODIFIERS, lower);
    if is_past || has(NOTHING, key) || has(NOTHING, lower) {
        return Part::Nothing;
    }
    Part::Subject(key.to_owned())
}

/// Whether a word names a measure or says only what kind of text this is, and so names nobody.
pub(crate) fn is_common(key: &str) -> bool {
    lists().1.contains_key(key) || has(GENERIC, key) || has(NOTHING, key)
}

fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

type Lists = (HashMap<&'static str, &'static str>, HashMap<&'static str, &'static str>);

fn lists() -> &'static Lists {
    static LISTS: OnceLock<Lists> = OnceLock::new();
    LISTS.get_or_init(|| (by_name(EVENTS), by_name(MEASURES)))
}

fn by_name(groups: &'static [&'static str]) -> HashMap<&'static str, &'static str> {
    let mut map = HashMap::new();
    for group in groups {
        let first = group.split(' ').next().unwrap_or_default();
        for name in group.split(' ') {
            map.insert(name, first);
        }
    }
    map
}

/// Names of one measure; the first is the one that is compared.
const MEASURES: &[&str] = &[
    "revenue sale turnover umsatz umsatzerlöse ventas 매출 매출액 売上 売上高 营业收入 销售额 收入",
    "employee staff headcount workforce personnel mitarbeiter beschäftigte worker employé empleado 직원 직원수 임직원 従業員 従業員数 员工 员工人数",
    "profit earning gewinn bénéfice beneficio 이익 利益 利润",
    "cost expense expenditure spending kosten coût coste 비용 費用 成本",
    "population inhabitant resident einwohner bevölkerung habitant habitante 인구 人口",
    "customer client kunde kunden 고객 顧客 客户",
    "price preis prix precio 가격 価格 价格",
    "budget haushalt 예산 予算 预算",
    "user nutzer 사용자 ユーザー 用户",
    "share anteil part 점유율 シェア 份额",
    "margin marge 마진",
    "emission emissionen 배출량 排出量 排放量",
    "capacity kapazität 용량 容量",
    "area fläche 면적 面積 面积",
    "debt schulden 부채 負債 债务",
    "order auftrag aufträge 주문 注文 订单",
    "temperature temperatur 온도 温度",
    "distance entfernung 거리 距離 距离",
    "weight gewicht 무게 重量",
    "length länge 길이 長さ 长度",
    "height höhe 높이 高さ 高度",
    "speed geschwindigkeit 속도 速度",
    "volume menge 수량 数量",
    "store shop filiale filialen laden 매장 店舗 门店",
];

const EVENTS: &[&str] = &[
    "founded established incorporated gegründet fondée fundada 설립 설립되었다 설립됐다 창립 設立 創業 成立",
    "launched released introduced eingeführt 출시 출시되었다 発売 发布",
    "opened eröffnet 개장 開業",
    "signed unterzeichnet 체결 締結 签署",
    "completed finished abgeschlossen 완공 완료 完成",
    "born geboren 출생 出生",
    "died gestorben 사망 死去 去世",
    "acquired übernommen 인수 買収 收购",
    "published veröffentlicht 발행 出版 発行",
    "started began begins begonnen 시작 開始 开始",
    "ended endete 종료 終了 结束",
    "built erbaut 건설 建設 建成",
];

const PLAN: &str = "plan planned planning target forecast forecasted expected expect expects projected projection budgeted \
    estimate estimated guidance goal aim aims outlook geplant erwartet ziel prognose plant";
const PLAN_PARTS: &str = "예상 계획 목표 전망 予想 計画 目標 予定 预计 计划 目标";
const UP: &str = "rose rise rises risen grew grow grows grown growth increase increased increases increasing gain gained up \
    climbed higher gestiegen stieg wuchs wachstum anstieg augmenté aumentó";
const DOWN: &str = "fell fall falls fallen decline declined declines decrease decreased decreases dropped drop down lower \
    shrank reduced reduction gesunken sank fiel rückgang baissé disminuyó";
const UP_PARTS: &str = "증가 상승 성장 늘었 늘어 増加 増えた 上昇 增长 增加";
const DOWN_PARTS: &str = "감소 하락 줄었 줄어 減少 下落 下降 减少";
const DOUBT: &str =
    "not never neither respectively if would could might unless beziehungsweise jeweils nicht kein keine falls";
/// Past forms that say which thing is meant, not what happened to it.
const MODIFIERS: &str = "adjusted consolidated diluted combined installed used united limited recycled retired unemployed \
    employed need seed feed speed weighted fixed mixed related based skilled insured armed";
const NOTHING: &str = "report reported reporting amount amounts total totals overall figure number count year annual quarter \
    month half end fiscal period company firm group amid according say said stand stood reach reaches hit post show showed \
    shown come came make made record recorded have hold held run ran employ employs employed count counts remain still \
    already around about approximately roughly nearly almost over least most exceeding above below under late early \
    beginning start full whole level value compared versus per cent currently today new latest recent first second third \
    jahr geschäftsjahr betrug beträgt lag liegt erzielte unternehmen gesamt insgesamt rund etwa beschäftigte beschäftigt \
    million billion thousand mio mrd tsd inc ltd gmbh ag corp corporation llc plc co kg sa se spa bv anzahl 년 명 \
    generate generated generates bring brought book booked earn earns sell sold serve serves produce produces \
    there it its they we our";
const NOTHING_PARTS: &str = "기록 달성 이었 였다 이다 총 전체 회사 达到 共有 拥有 总 公司 全年 約 약 以上 年度";
const GENERIC: &str = "report summary overview introduction note result detail conclusion background analysis review data \
    chapter section appendix table figure source press release statement interview article memo minute meeting update \
    bericht zusammenfassung überblick einleitung ergebnis anhang business key fact sheet market annual financial product \
    보고서 요약 개요 결과 報告 概要 結果 报告 摘要 assets list index readme";
