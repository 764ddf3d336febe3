//! Words with a part in claims: measures that have several names, events, plans, changes, and words that add nothing.
//!
//! Owns the lists. A word that stands in no list keeps its own form and counts as part of what a claim is about.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::words::Language;

/// What a word does in a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Part of what the claim is about, in its one form.
    Subject(String),
    /// Something that happened, so that a date can be its value.
    Event(&'static str),
    /// What is done with the thing that is counted: built, sold, repaired.
    Action(&'static str),
    /// Intended, not so.
    Plan,
    /// More or less than before.
    Change(&'static str),
    /// Says that the claim is not made.
    Doubt,
    /// Says that the figure is of a part, or of each.
    Share,
    Nothing,
}

/// The part of a word, given in the form in which words are compared, and in lower case.
pub(crate) fn part(key: &str, lower: &str) -> Part {
    let lists = lists();
    if let Some(event) = lists.events.find(lower, lower) {
        return Part::Event(event);
    }
    for (list, made) in [
        (PLAN, Part::Plan),
        (UP, Part::Change("up")),
        (DOWN, Part::Change("down")),
        (DOUBT, Part::Doubt),
        (SHARE, Part::Share),
    ] {
        if has(list, lower) || has(list, key) {
            return made;
        }
    }
    // Verbs of many languages carry their endings with them, so that beginnings are compared.
    if !lower.is_ascii() {
        for (beginnings, made) in [
            (PLAN_PARTS, Part::Plan),
            (UP_PARTS, Part::Change("up")),
            (DOWN_PARTS, Part::Change("down")),
            (DOUBT_PARTS, Part::Doubt),
            (SHARE_PARTS, Part::Share),
        ] {
            if begins(beginnings, lower) {
                return made;
            }
        }
    }
    if let Some(measure) = lists.measures.find(key, lower) {
        return Part::Subject(measure.to_owned());
    }
    match lists.actions.find(key, lower) {
        Some("neutral") => return Part::Nothing,
        Some(action) => return Part::Action(action),
        None => {}
    }
    // gekostet is what kostete is.
    let bare = lower.strip_prefix("ge").filter(|bare| bare.len() > 4 && bare.ends_with('t'));
    if let Some(action) = bare.and_then(|bare| lists.actions.whole.get(format!("{bare}e").as_str())) {
        return if *action == "neutral" { Part::Nothing } else { Part::Action(action) };
    }
    let is_past = lower.is_ascii() && lower.len() > 4 && lower.ends_with("ed") && !has(MODIFIERS, lower);
    if is_past
        || has(IRREGULAR, lower)
        || has(NOTHING, key)
        || has(NOTHING, lower)
        || (!lower.is_ascii() && begins(NOTHING_PARTS, lower))
    {
        return Part::Nothing;
    }
    Part::Subject(key.to_owned())
}

/// What a word says is done, whatever else it says.
pub(crate) fn action(key: &str, lower: &str) -> Option<&'static str> {
    lists().actions.find(key, lower).filter(|action| *action != "neutral")
}

/// Whether a word names a measure or says only what kind of text this is, and so names nobody.
pub(crate) fn is_common(key: &str) -> bool {
    lists().measures.find(key, key).is_some() || has(GENERIC, key) || has(NOTHING, key)
}

/// Whether a word says what is measured or counted.
pub(crate) fn is_measure(key: &str) -> bool {
    lists().measures.find(key, key).is_some()
}

/// Whether a word says only what kind of text this is.
pub(crate) fn is_generic(key: &str) -> bool {
    has(GENERIC, key)
}

/// Whether a word only says what kind of thing a name names: `the port of Calder Bay` is Calder Bay.
pub(crate) fn is_kind(word: &str) -> bool {
    has(KINDS, word) || is_compound_kind(word)
}

/// `zuivelfabriek`, `Stadtbibliothek`: in some languages the kind is the end of the word.
fn is_compound_kind(word: &str) -> bool {
    const ENDS: &str = "fabriek fabrik werk kraftwerk werft brücke bibliothek bibliotheek schule school klinik ziekenhuis krankenhaus \
        museum theater stadion hafen haven verein genossenschaft molkerei brauerei brouwerij universität kirche kerk park";
    let front = |end: &str| word.strip_suffix(end).is_some_and(|front| front.chars().count() >= 4);
    ENDS.split_ascii_whitespace().any(front)
}

/// `Stromverbrauch`, `elektriciteitsverbruik`: the measure at the end of a word, and the word before it.
pub(crate) fn split_compound(key: &str) -> Option<(String, &'static str)> {
    const LEAST: usize = 5;
    let measures = &lists().measures;
    if !key.chars().all(|c| c.is_lowercase()) || measures.find(key, key).is_some() {
        return None;
    }
    let starts = key.char_indices().map(|(at, _)| at).skip(4);
    starts.filter(|at| key[*at..].chars().count() >= LEAST).find_map(|at| {
        let (front, measure) = key.split_at(at);
        let first = measures.whole.get(measure)?;
        let bare = front.strip_suffix('s').unwrap_or(front);
        let front = measures.find(bare, bare).map_or_else(|| bare.to_owned(), str::to_owned);
        Some((front, *first))
    })
}

/// A past form that is in no list, without its ending: what was done, as far as it can be told.
pub(crate) fn past_verb(key: &str, lower: &str) -> Option<String> {
    let lists = lists();
    let is_past = lower.is_ascii() && lower.len() > 4 && lower.ends_with("ed") && !has(MODIFIERS, lower);
    let is_listed = lists.actions.find(key, lower).is_some() || lists.measures.find(key, lower).is_some();
    if has(IRREGULAR, lower) {
        return Some(lower.to_owned());
    }
    (is_past && !is_listed).then(|| lower.trim_end_matches("ed").to_owned())
}

/// Whether a word is a verb that some list knows, also one that adds nothing.
pub(crate) fn is_verb(key: &str, lower: &str) -> bool {
    lists().actions.find(key, lower).is_some()
}

/// Whether a word says that something belongs to somebody, so that no other verb says what is done.
pub(crate) fn is_possession(lower: &str, language: Language) -> bool {
    // Short words that are articles or other small words elsewhere.
    match lower {
        "a" => return language == Language::French,
        "ha" => return matches!(language, Language::Spanish | Language::Italian),
        "ma" => return language == Language::Polish,
        _ => {}
    }
    has(
        "has have had owns owned own operates betreibt betrieb unterhält exploite opera gestisce telt telde liczy liczył har hade hat hatte haben hatten besitzt besaß besaßen verfügt verfügte avait ont possède possédait compte tiene tenía tienen aveva tem tinha heeft miał имеет",
        lower,
    )
}

/// Measures that are nouns of actions: emissions are what is emitted.
const NOUNS: [(&str, &str); 16] = [
    ("death", "perish"),
    ("emission", "emit"),
    ("production", "build"),
    ("production", "generate"),
    ("electricity", "generate"),
    ("consumption", "consume"),
    ("export", "export"),
    ("import", "import"),
    ("investment", "spend"),
    ("cost", "spend"),
    ("harvest", "harvest"),
    ("delivery", "deliver"),
    ("visitor", "visit"),
    ("donation", "donate"),
    ("employee", "employ"),
    ("order", "order"),
];

/// Whether a measure is the noun of an action.
pub(crate) fn is_noun_of(measure: &str, action: &str) -> bool {
    NOUNS.contains(&(measure, action))
}

/// Whether a measure says what is done.
pub(crate) fn is_deed(measure: &str) -> bool {
    NOUNS.iter().any(|(noun, _)| *noun == measure)
}

/// `清溪水库面积`: the measure that a word in signs ends with, and what stands before it.
pub(crate) fn split_measure(key: &str) -> Option<(String, &'static str)> {
    let starts: Vec<usize> = key.char_indices().map(|(at, _)| at).collect();
    let whole = &lists().measures.whole;
    let count = starts.len();
    (2..count.saturating_sub(1)).find_map(|at| {
        let (front, measure) = key.split_at(starts[at]);
        whole.get(measure).map(|first| (front.to_owned(), *first))
    })
}

/// Whether a word is a stretch of time that is not a year: a figure for it is not one for the year.
pub(crate) fn is_stretch(lower: &str) -> bool {
    has(STRETCHES, lower) || super::dates::month(lower).is_some_and(|_| !matches!(lower, "may" | "mar" | "mars"))
}

/// Words by which a sentence can go on without changing what its figure is about: verbs and adverbs, known by form.
pub(crate) fn is_loose(lower: &str, language: Language) -> bool {
    let count = lower.chars().count();
    let ends = |list: &[&str]| list.iter().any(|ending| lower.ends_with(ending));
    match lower.chars().next() {
        Some('\u{0400}'..='\u{04ff}') => count >= 5 && ends(&["л", "ла", "ло", "ли", "лся", "лась", "лось", "лись"]),
        Some('\u{ac00}'..='\u{d7af}') => {
            ends(&["다", "니다", "하며", "하고", "추고", "되고", "이고", "지고", "치고", "루고", "면서", "해서"])
        }
        _ if language == Language::German && count >= 5 && ends(&["te", "ten"]) => true,
        _ if language == Language::French && count >= 5 && ends(&["é", "és", "ée", "ées"]) => true,
        Some(c) if c.is_ascii() || c.is_alphabetic() => {
            count >= 5 && ends(&["ly", "mente", "aron", "ieron", "ó", "aient"])
        }
        _ => false,
    }
}

/// Whether a list has a word. Each list is taken apart once: a source has many words.
pub(crate) fn has(list: &'static str, word: &str) -> bool {
    thread_local! {
        static SETS: RefCell<HashMap<(usize, usize), HashSet<&'static str>>> = RefCell::default();
    }
    SETS.with_borrow_mut(|sets| {
        let set =
            sets.entry((list.as_ptr() as usize, list.len())).or_insert_with(|| list.split_ascii_whitespace().collect());
        set.contains(word)
    })
}

fn begins(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|part| word.starts_with(part))
}

/// Words by group: the first of each group stands for all of it.
struct Groups {
    whole: HashMap<&'static str, &'static str>,
    /// Beginnings, by their first letter.
    beginnings: HashMap<char, Vec<(&'static str, &'static str)>>,
}

impl Groups {
    fn read<'a>(lines: impl Iterator<Item = &'static str> + 'a) -> Self {
        let mut groups = Self { whole: HashMap::new(), beginnings: HashMap::new() };
        for line in lines.filter(|line| !line.starts_with('#')) {
            let Some(first) = line.split_ascii_whitespace().next() else { continue };
            for word in line.split_ascii_whitespace() {
                match (word.strip_suffix('*'), word.chars().next()) {
                    (Some(beginning), Some(letter)) => {
                        groups.beginnings.entry(letter).or_default().push((beginning, first));
                    }
                    _ => {
                        groups.whole.entry(word).or_insert(first);
                    }
                }
            }
        }
        groups
    }

    fn find(&self, key: &str, lower: &str) -> Option<&'static str> {
        if let Some(first) = self.whole.get(lower).or_else(|| self.whole.get(key)) {
            return Some(first);
        }
        let list = self.beginnings.get(&lower.chars().next()?)?;
        // A beginning stands for endings, not for other words that begin alike.
        let fits = |beginning: &str| {
            lower.strip_prefix(beginning).is_some_and(|rest| {
                let more = rest.chars().count();
                more <= 4 || (rest.chars().all(|c| !c.is_ascii()) && more <= 8)
            })
        };
        list.iter().find(|(beginning, _)| fits(beginning)).map(|(_, first)| *first)
    }
}

struct Lists {
    events: Groups,
    measures: Groups,
    actions: Groups,
}

fn lists() -> &'static Lists {
    static LISTS: OnceLock<Lists> = OnceLock::new();
    LISTS.get_or_init(|| Lists {
        events: Groups::read(EVENTS.iter().copied()),
        measures: Groups::read(include_str!("vocabulary/measures.txt").lines()),
        actions: Groups::read(include_str!("vocabulary/actions.txt").lines()),
    })
}

const EVENTS: &[&str] = &[
    "founded established incorporated fondato fondata fundado_em fundada założon* opgericht kuruldu kurulan gegründet fondée fondé fundada fundado основан* تأسست تأسس 설립* 창립* 設立 創業 创立 成立",
    "launched released introduced veröffentlicht_wurde lanciato rilasciato lançado wydan* uitgebracht yayınlandı выпущен* リリース eingeführt lancé lanzado запущен* أطلقت 출시* 発売 发布",
    "opened inaugurated eingeweiht inaugurata inaugurato aperto aperta aberto aberta otwart* geopend açıldı eröffnet ouvert inauguré inaugurado открыт* افتتح افتتحت 개장* 개관* 開業 開館 开业 开放",
    "signed inked unterschrieben firmaron firmato assinado podpisan* ondertekend imzalandı unterzeichnet signé firmado подписан* وقعت 체결* 締結 签署",
    "completed finished completato concluído ukończon* voltooid tamamlandı abgeschlossen fertiggestellt achevé terminado завершен* завершён* اكتمل 완공* 완료* 完成 竣工",
    "born geboren né née nacido nacida родил* ولد 출생했* 出生",
    "died gestorben décédé murió умер* توفي 사망했* 死去 去世",
    "acquired übernommen 인수* 買収 收购",
    "published veröffentlicht publié publicado опубликован* نشر 발행* 出版 発行",
    "departed sailed abgefahren abgelegt ausgelaufen parti appareillé zarpó partió salpò salpato zarpou wypłynął* vertrok vertrokken hareket_etti отплыл* отправил* غادر 출항* 출발했* 出港 出発 启航 出发",
    "arrived angekommen eingetroffen arrivé llegó arrivato chegou przybył* aangekomen vardı прибыл* وصل 도착* 입항* 到着 入港 抵达",
    "closed geschlossen fermé cerrado cerró chiuso fechado zamknięt* gesloten kapatıldı закрыт* أغلق 폐쇄* 폐점* 閉店 閉鎖 关闭",
    "renovated refurbished renoviert saniert rénové renovado restaurado ristrutturato rinnovato wyremontowan* gerenoveerd yenilendi отремонтирован* 개보수* 改装 改修 翻修",
    "elected gewählt élu elegido eletto eleito wybran* gekozen seçildi избран* انتخب 선출* 選出 当选",
    "appointed ernannt nommé nombrado nominato nomeado mianowan* benoemd atandı назначен* عين 임명* 任命 任命了",
    "approved adopted genehmigt beschlossen verabschiedet approuvé adopté aprobado approvato aprovado zatwierdzon* goedgekeurd onaylandı утвержден* утверждён* принят* 승인* 가결* 承認 可決 批准",
    "demolished abgerissen démoli demolido demolito zburzon* gesloopt yıkıldı снесен* снесён* 철거* 解体 拆除",
    "merged fusioniert fusionné fusionado fuso połączon* gefuseerd birleşti 합병* 合併 合并",
    "resigned zurückgetreten démissionné dimitió dimesso zrezygnował* afgetreden istifa ушёл_в_отставку 사임* 辞任 辞职",
    "started began begins begonnen commencé comenzó empezó inició iniciado iniziato iniziò começou rozpoczęt* начал* начат* بدأ بدأت 시작* 開始 开始",
    "ended endete terminé finalizó закончен* انتهى 종료* 終了 结束",
    "built erected costruito costruita construída construído zbudowan* gebouwd inşa_edildi erbaut gebaut errichtet construit construida construido построен* 건립* 建設 建成",
];

const PLAN: &str = "scheduled due intended aiming proposed plan plans planned planning target targets targeted forecast forecasted forecasts expected expect expects \
    projected projection budgeted estimate estimated estimates guidance goal aim aims outlook will shall should hopes intends \
    wants wishes promise promised assumes assumed predicted ahead future \
    geplant erwartet erwarten ziel prognose voraussichtlich soll sollen will wollen schätzt geschätzt schätzung plan planung wird werden künftig \
    prévoit prévu prévue prévoient prévision objectif devrait devraient vise estimé estime estimation sera seront \
    espera esperan prevé previsto prevista previsión objetivo estima estimado estimación será serán debería proyecta \
    planen planuje gepland verwacht planlanan hedef beklenen \
    prevede previsto obiettivo stima sarà prevê meta estimativa será \
    план плану планирует планируется ожидает ожидается прогноз прогнозу оценка оценке цель будет будут متوقع المتوقع يتوقع خطة هدف مستهدف سوف";
const PLAN_PARTS: &str =
    "예상 계획 목표 전망 예정 추정 予想 計画 目標 予定 見込 見通 推定 预计 计划 目标 预期 预测 估计";
const UP: &str = "rose rise rises risen grew grow grows grown growth increase increased increases increasing gained up \
    climbed higher additional extra further weitere weiteren gestiegen stieg stiegen wuchs wachstum anstieg zusätzlich erhöht augmenté augmentation hausse croissance progressé supplémentaires \
    aumentó aumento creció crecimiento subió adicionales вырос выросла выросло выросли рост увеличил увеличилась زاد زادت ارتفع ارتفعت نمو";
const DOWN: &str = "fell fall falls fallen decline declined declines decrease decreased decreases dropped drop down lower \
    shrank reduced reduction cut gesunken sank sanken fiel fielen rückgang verringert baissé baisse diminué diminution recul disminuyó bajó cayó descenso \
    снизил снизилась снизилось снизились упал упала упали снижение сократил сократилось انخفض انخفضت تراجع";
const UP_PARTS: &str = "증가 상승 성장 늘었 늘어 증대 増加 増えた 上昇 増収 增长 增加 上升";
const DOWN_PARTS: &str = "감소 하락 줄었 줄어 減少 下落 減収 下降 减少";
const DOUBT: &str = "not never neither nor respectively if would could might unless maybe perhaps allegedly doubtful doubt doubts wrong false \
    beziehungsweise jeweils nicht kein keine keinen falls wenn vielleicht angeblich falsch könnte würde \
    pas jamais aucun aucune si peut-être faux nunca ningún ninguna tampoco quizás falso \
    не нет если возможно ни неверно لم ليس ليست لن إذا ربما";
const DOUBT_PARTS: &str = "않 아니 아닌 没有 不是 并非 如果 未能 可能";
const SHARE: &str = "thereof including excluding average averages averaged each every per apiece half \
    davon darunter ohne durchschnittlich durchschnitt je pro jede jeder \
    dont hors moyenne chaque chacun incluyendo excluyendo promedio media cada \
    среднем каждый каждая включая кроме منها متوسط كل";
const SHARE_PARTS: &str = "평균 이중 가운데 제외 포함 그중 平均 其中 除外 仅";
/// Past forms without the usual ending.
const IRREGULAR: &str = "took sent left sang taught caught threw flew fed bred brought lent led met ate drank swam wore rode drove \
    dug fought stole hid chose froze shot beat";
/// Past forms that say which thing is meant, not what happened to it.
const MODIFIERS: &str = "adjusted consolidated diluted combined installed used united limited recycled retired unemployed \
    employed need seed feed speed weighted fixed mixed related based skilled insured armed shed breed reed sled";
const NOTHING: &str = "version versions release report reporting amount amounts total totals overall altogether figure number count year years annual annually yearly \
    end fiscal period company firm group amid according say said stand still \
    already around about approximately roughly nearly almost over least most exceeding above below under late early \
    beginning start full whole level value compared versus cent currently today new latest recent first second third \
    again also even just then now here same exactly precisely some well last previous next past time once \
    totaal totale totali jahr jahre jahres ende anfang geschäftsjahr kalenderjahr unternehmen gesamt insgesamt rund etwa genau inzwischen mittlerweile derzeit heute groß menschen leute anzahl zahl stück höhe \
    million billion thousand mio mrd tsd inc ltd gmbh ag corp corporation llc plc co kg sa se spa bv \
    année ans an nombre total totale entreprise société environ exercice chiffre affaires \
    año años número total empresa compañía unos cerca cifra negocios ejercicio \
    год года году годом лет всего около компания количество число общая общий \
    سنة عام إجمالي مجموع مجموعه وفي وبلغ شركة حوالي نحو عدد \
    년 명 개 대 척 곳 there it its they we our this that these those people person persons personen personnes personas persone pessoas osób osoby mensen kişi personer ludzi человек شخص يد";
const NOTHING_PARTS: &str = "총 전체 기준 현재 당시 회사 올해 작년 지난해 总 公司 全年 約 약 以上 現在 時点 年度 合計 同社 当社 同年 全体 年間 年间";
const KINDS: &str = "zoo tierpark castle church cathedral line railway ligne linie línea bahn bäckerei winery vineyard dairy monastery port harbour harbor city town village municipality commune county ship boat vessel trawler ferry tanker freighter steamer yacht \
    mv ms ss hospital clinic klinikum klinik club team trial study plant station refinery factory mill park farm bridge dam tunnel yard shipyard \
    museum school university college app application software platform programme program library theatre theater stadium airport \
    restaurant hotel brewery bakery cooperative foundation association festival refuge choir orchestra \
    chor orchester genossenschaft hafen stadt gemeinde dorf schiff frachter fähre kutter verein kraftwerk werk fabrik werft brücke turm bibliothek stadion flughafen \
    cantina vigneto weingut domaine bodega adega vignoble théâtre teatro teatr ville navire usine centrale pont stade hôpital bibliothèque association chantier cooperativa finca parque parc parco puerto ciudad buque fábrica puente estadio biblioteca \
    porto città nave ponte stadio ospedale cidade navio fábrica haven stad schip brug ziekenhuis fabriek miasto statek most szpital klub fabryka \
    şehir gemi köprü hastane kulübü fabrika santrali порт город судно корабль завод мост больница клуб клуба музей станция электростанция \
    مدرسة جامعة مستشفى مكتبة متحف مصنع ميناء مدينة قرية جسر فندق نادي ملعب محطة حديقة جمعية بلدية سفينة مطار \
    アプリ アプリケーション クラブ ホテル 会社 病院 工場 大学 回 発電所 병원 공장 조선소 발전소 앱 서비스";
const STRETCHES: &str = "quarter quarters quarterly half-year month months monthly week weeks weekly day days daily spring summer autumn winter \
    q1 q2 q3 q4 h1 h2 quartal halbjahr monat monate woche tag frühjahr sommer herbst trimestre semestre mois semaine jour \
    mes meses semana día квартал квартале полугодие месяц неделя ربع شهر أسبوع 분기 상반기 하반기 월간 四半期 上半期 下半期 上期 下期 季度 上半年 下半年";
const GENERIC: &str = "report summary overview introduction note notes result detail conclusion background analysis review data \
    chapter section appendix collection collections sammlung colección collezione אוסף table figure source press release statement interview article memo minute meeting update \
    letter yearbook bulletin news newspaper fact sheet page website web office yearly key annual financial business market product \
    bericht jahresbericht zusammenfassung überblick einleitung ergebnis anhang zeitung brief notiz protokoll mitteilung pressemitteilung \
    rapport résumé aperçu lettre journal communiqué annexe informe resumen carta nota periódico memoria comunicado \
    отчет отчёт письмо газета обзор записка تقرير رسالة ملخص صحيفة \
    자료 감사자료 보도자료 記者発表 記者発表資料 新闻稿 总结 科考总结 보고서 요약 개요 결과 신문 편지 연보 報告 報告書 概要 結果 新聞 手紙 报告 摘要 报纸 信 assets list index readme";
