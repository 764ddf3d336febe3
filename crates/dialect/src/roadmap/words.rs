//! The words of the protocol in every spelling that is understood: states, results, keys, titles of sections. A newcomer
//! adds one here and nowhere else. Must not know lines or spans.

use machine::roadmap::{Part, Period, Status, Verdict};

/// How well a word was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Read<T> {
    /// As it should be written.
    Clean(T),
    /// Clear, but written otherwise.
    Loose(T),
    /// Not clear, and why.
    Unclear(String),
}

impl<T: Copy> Read<T> {
    pub(crate) fn value(&self) -> Option<T> {
        match self {
            Self::Clean(value) | Self::Loose(value) => Some(*value),
            Self::Unclear(_) => None,
        }
    }
}

/// Other words for states, without case and blanks.
const STATUS_WORDS: [(Status, &str); 5] = [
    (
        Status::Pending,
        "todo open new planned queued ready waiting wait notstarted unstarted backlog idle blocked paused onhold hold \
         scheduled upcoming unlocked available free deferred 待处理 待办 待定 未开始 等待 等待中 待开始 待执行 计划中 排队中 暂停 挂起 阻塞 \
         대기 대기중 할일 예정 미완료 보류 미시작 未着手 未完了 保留 offen ausstehend geplant wartend blockiert àfaire enattente \
         prévu pendiente porhacer pendente afazer ожидает ожидание новая вплане вожидании отложено 保留中 待機中 待機 待處理 待辦 \
         未開始 等待處理 zuerledigen insospeso dafare inattesa",
    ),
    (
        Status::Locked,
        "lock inprogress doing wip started active running ongoing working claimed assigned taken executing processing \
         underway 进行中 处理中 执行中 锁定 已锁定 正在进行 正在处理 开发中 진행중 진행 잠김 작업중 실행중 進行中 作業中 対応中 gesperrt \
         inarbeit inbearbeitung laufend begonnen enprogreso enproceso encours encurso verrouillé verrouillée bloqueado bloqueada \
         emandamento emprogresso incorso bloccato вработе впроцессе выполняется заблокировано 実行中 ロック ロック中 鎖定 已鎖定 處理中 執行中 잠금",
    ),
    (
        Status::Completed,
        "complete done finished finish closed succeeded success successful resolved ok fixed shipped merged 完成 已完成 完毕 \
         做完 成功 已结束 结束 완료 완료됨 끝 끝남 성공 済 済み erledigt fertig abgeschlossen beendet vollständig terminé fini achevé fait \
         terminée complété complétée completado completada hecho terminado finalizado concluído concluida concluída concluido \
         feito completato completata fatto выполнено готово завершено завершена завершён завершен 完了 完了済み 完了した 終了 完畢 已結束",
    ),
    (
        Status::Failed,
        "fail failure error errored broken crashed 失败 错误 已失败 出错 실패 오류 失敗 エラー fehlgeschlagen gescheitert fehler \
         échoué échouée échec erreur fallido fallida falhou fallito провалено провалена неудача ошибка 失败了 已失敗",
    ),
    (
        Status::Cancelled,
        "cancel canceled cancelled obsolete dropped skipped skip abandoned wontdo wontfix superseded removed rejected \
         na notneeded nolongerneeded notplanned notapplicable discarded 取消 已取消 废弃 已废弃 作废 跳过 放弃 취소 취소됨 폐기 생략 キャンセル 中止 abgebrochen \
         storniert entfallen entfällt verworfen annulé annulée abandonné cancelado cancelada anulado annullato annullata \
         отменено отменена отменён 取り消し 取消し 廃止",
    ),
];

/// Other words for results.
const VERDICT_WORDS: [(Verdict, &str); 4] = [
    (
        Verdict::Succeeded,
        "erfolgreich gelungen успешно успех réussi réussie exitoso éxito sucesso riuscito 成功した 성공함 passed pass",
    ),
    (Verdict::Failed, "misslungen неуспешно échoua 失敗した"),
    (
        Verdict::Pending,
        "partial partially incomplete timeout outofsteps continue tobecontinued 部分完成 未完成 부분완료 teilweise",
    ),
    (Verdict::Cancelled, ""),
];

/// Signs that say a state, in front of a title or a word.
const SIGNS: [(Status, &str); 5] = [
    (Status::Pending, "⏳⌛🔲⬜☐□⏸🕒🆕📋"),
    (Status::Locked, "🔄🔒🚧⚙🏃🔃▶"),
    (Status::Completed, "✅✔☑✓🎉🟢👍"),
    (Status::Failed, "❌✗✘🔴🟥💥"),
    (Status::Cancelled, "🚫⛔🗑⊘"),
];

/// The state that a sign says.
pub(crate) fn sign(letter: char) -> Option<Status> {
    SIGNS.iter().find(|(_, signs)| signs.contains(letter)).map(|(status, _)| *status)
}

/// The state that a text says, with how many of its bytes say it: words behind it may explain, but not bring another
/// state into play.
pub(crate) fn status(raw: &str) -> (Read<Status>, usize) {
    let clean = Status::ALL.map(|status| (status, status.word()));
    one_of(raw, &clean, &|text| status_word(text).or_else(|| lone_sign(text)))
}

/// The result that a text says, with how many of its bytes say it.
pub(crate) fn verdict(raw: &str) -> (Read<Verdict>, usize) {
    one_of(raw, &Verdict::ALL.map(|verdict| (verdict, verdict.word())), &verdict_word)
}

fn one_of<T: Copy + PartialEq>(
    raw: &str,
    clean: &[(T, &'static str)],
    known: &dyn Fn(&str) -> Option<T>,
) -> (Read<T>, usize) {
    let names: Vec<&str> = clean.iter().map(|(_, name)| *name).collect();
    let text = raw.trim_end();
    if let Some((value, _)) = clean.iter().find(|(_, name)| *name == text) {
        return (Read::Clean(*value), text.len());
    }
    if text.is_empty() {
        return (Read::Unclear(format!("there is no value; write one of {}", names.join(", "))), 0);
    }
    if let Some(value) = known(text) {
        return (Read::Loose(value), text.len());
    }
    // A word and an explanation that brings no other into play: `Done (see 4)`, `Locked by x`.
    for end in ends_of_words(text) {
        let Some(value) = known(&text[..end]) else { continue };
        let rest = &text[end..];
        let is_open = rest
            .split(|mark: char| !mark.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .any(|word| known(word).is_some_and(|other| other != value) || matches!(word, "or" | "unless" | "maybe"));
        if !is_open {
            return (Read::Loose(value), end);
        }
    }
    let hint = match crate::cycle::nearest(text, &names) {
        Some(near) => format!("the nearest is `{near}`"),
        None => format!("write one of {}", names.join(", ")),
    };
    (Read::Unclear(format!("`{}` is not one of the valid words; {hint}", crate::cycle::shown(raw))), text.len())
}

/// Where up to four words end, the longest first.
fn ends_of_words(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut in_word = false;
    for (at, letter) in text.char_indices() {
        let is_part =
            letter.is_alphanumeric() || matches!(letter, '\'' | '’' | '-' | '_' | '*' | '`' | '/') || is_sign(letter);
        if in_word && !is_part {
            ends.push(at);
        }
        in_word = is_part;
        if ends.len() == 4 {
            break;
        }
    }
    ends.reverse();
    ends
}

fn is_sign(letter: char) -> bool {
    sign(letter).is_some() || letter == '\u{FE0F}'
}

fn status_word(text: &str) -> Option<Status> {
    let word = squeezed(text);
    let plain = Status::ALL.into_iter().find(|status| status.word().to_lowercase() == word);
    plain.or_else(|| find_word(&STATUS_WORDS, &word))
}

/// Words that say a state and are as often the end of a title: `Mend the door - open`.
const EVERYDAY_WORDS: &str = "open new free ready wait hold lock locked closed broken error fixed fix ok merged removed skip \
    working active running started shipped idle fail failure cancel na";

/// The state that a text is, all of it, where nothing says that one is meant.
pub(crate) fn plain_status(text: &str) -> Option<Status> {
    let is_everyday = is_one_of(&squeezed(text), EVERYDAY_WORDS) && !Status::ALL.iter().any(|one| one.word() == text);
    status_word(text).filter(|_| !is_everyday)
}

/// The result that a text is, all of it, where nothing says that one is meant.
pub(crate) fn plain_verdict(text: &str) -> Option<Verdict> {
    let is_everyday = is_one_of(&squeezed(text), EVERYDAY_WORDS) && !Verdict::ALL.iter().any(|one| one.word() == text);
    verdict_word(text).filter(|_| !is_everyday)
}

/// A state said by a sign alone, as `✅`.
fn lone_sign(text: &str) -> Option<Status> {
    let is_alone = !text.contains(char::is_alphanumeric);
    text.chars().find_map(sign).filter(|_| is_alone)
}

fn verdict_word(text: &str) -> Option<Verdict> {
    let word = squeezed(text);
    let plain = Verdict::ALL.into_iter().find(|verdict| verdict.word().to_lowercase() == word);
    plain.or_else(|| find_word(&VERDICT_WORDS, &word)).or_else(|| {
        let status = status_word(text).or_else(|| lone_sign(text))?;
        Some(match status {
            Status::Pending | Status::Locked => Verdict::Pending,
            Status::Completed => Verdict::Succeeded,
            Status::Failed => Verdict::Failed,
            Status::Cancelled => Verdict::Cancelled,
        })
    })
}

fn find_word<T: Copy>(words: &[(T, &str)], word: &str) -> Option<T> {
    words.iter().find(|(_, words)| is_one_of(word, words)).map(|(value, _)| *value)
}

/// Whether a word is one of a list.
pub(crate) fn is_one_of(word: &str, words: &str) -> bool {
    // A word that stands nowhere in the list need not be looked for word by word.
    !word.is_empty() && words.contains(word) && words.split_whitespace().any(|known| known == word)
}

/// A text without case, blanks and marks.
pub(crate) fn squeezed(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Lines below an item that say something of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    /// Its state.
    Status,
    /// Who holds it.
    Executor,
    /// Items that must be done before it.
    DependsOn,
    /// Files that it changes.
    Claims,
    /// What is done while a question about it is open.
    Default,
}

impl Key {
    /// As it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Executor => "executor",
            Self::DependsOn => "dependsOn",
            Self::Claims => "claims",
            Self::Default => "default",
        }
    }

    /// The key that a word means.
    pub(crate) fn of(word: &str) -> Option<Self> {
        find_word(&KEYS, &squeezed(word))
    }
}

/// The words for keys of items, without case and blanks.
const KEYS: [(Key, &str); 5] = [
    (Key::Status, "status state 状态 상태 状態 zustand stand statut état estado статус"),
    (
        Key::Executor,
        "executor runner assignee lockedby agent worker holder 执行者 执行人 负责人 실행자 담당자 実行者 担当者 担当 執行者 ausführer \
         ausführender bearbeiter bearbeitetvon zuständig responsable esecutore executante exécuteur ejecutor \
         исполнитель",
    ),
    (
        Key::DependsOn,
        "dependson depends dependencies dependency deps after requires blockedby 依赖 依赖于 前置任务 의존 의존성 선행작업 依存 \
         依存関係 依赖项 依赖任务 依賴 前提 abhängigvon hängtabvon voraussetzung voraussetzungen abhängigkeiten dépendde \
         dépendances dependede dependencias dependências dipendeda dipendenze зависитот зависимости needs \
         prerequisites prerequisite",
    ),
    (Key::Claims, "claims claim files touches 文件 파일 dateien fichiers archivos файлы"),
    (Key::Default, "default defaultplan 默认 默认方案 기본 기본계획 vorgabe"),
];

/// Lines of an entry of the work log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum EntryKey {
    /// Who one was.
    Role,
    /// What was to be done.
    Objective,
    /// What came of it.
    Result,
    /// Whether a Pending one needs a new plan.
    Blocker,
    /// What happened.
    Summary,
}

impl EntryKey {
    /// As it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Role => "Role",
            Self::Objective => "Objective",
            Self::Result => "Result",
            Self::Blocker => "Blocker",
            Self::Summary => "Summary",
        }
    }

    /// The key that a word means.
    pub(crate) fn of(word: &str) -> Option<Self> {
        Some(match squeezed(word).as_str() {
            "role" | "角色" | "역할" | "役割" | "rolle" | "rôle" | "rol" | "роль" => Self::Role,
            "objective" | "goal" | "task" | "item" | "target" | "目标" | "任务" | "목표" | "작업" | "目的" | "目標"
            | "ziel" | "aufgabe" | "objectif" | "objetivo" | "цель" | "задача" => Self::Objective,
            "result" | "outcome" | "status" | "结果" | "状态" | "결과" | "상태" | "結果" | "ergebnis" | "résultat"
            | "resultado" | "результат" => Self::Result,
            "blocker" | "isblocker" | "blocking" | "blocked" | "阻塞" | "是否阻塞" | "차단" | "blockierend"
            | "bloquant" | "bloqueante" | "блокер" => Self::Blocker,
            "summary" | "notes" | "note" | "details" | "description" | "总结" | "摘要" | "概要" | "说明" | "요약"
            | "설명" | "zusammenfassung" | "résumé" | "resumen" | "resumo" | "riassunto" | "итог" | "итоги"
            | "сводка" | "описание" | "要約" | "まとめ" | "摘要說明" | "總結" | "說明" => {
                Self::Summary
            }
            _ => return None,
        })
    }
}

/// The two sections of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectionName {
    Roadmap,
    WorkLog,
}

impl SectionName {
    /// As it is written.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Roadmap => "Roadmap",
            Self::WorkLog => "Work Log",
        }
    }

    /// The section that a title means, in the languages that are known by word.
    pub(crate) fn of(title: &str) -> Option<Self> {
        const ROADMAP: &str = "roadmap plan workplan projectplan taskplan tasks tasklist todo todos todolist backlog milestones \
            路线图 工作计划 任务计划 计划 任务列表 任务清单 任务 待办 待办事项 로드맵 작업계획 계획 할일 할일목록 작업목록 작업 ロードマップ 作業計画 \
            計画 タスク 路線圖 工作計畫 工作計劃 任務列表 任務清單 fahrplan arbeitsplan aufgaben aufgabenliste projektplan feuillederoute plandetravail tâches hojaderuta \
            plandetrabajo tareas roteiro tarefas tabelladimarcia pianodilavoro attività планработ план дорожнаякарта задачи";
        const WORK_LOG: &str = "worklog log logs workjournal journal history worklogs activitylog executionlog progresslog 工作日志 \
            日志 工作记录 执行日志 执行记录 历史 작업로그 작업기록 작업일지 로그 기록 이력 作業ログ ログ 作業記録 履歴 arbeitsprotokoll protokoll \
            arbeitslog verlauf journaldetravail journaldebord historique registrodetrabajo registro bitácora diário журнал \
            журналработ лог история 工作日誌 日誌 工作紀錄 작업이력 registroattività registrodilavoro registrodetrabalho";
        let word = squeezed(title);
        let is_in = |words: &str| is_one_of(&word, words);
        match () {
            () if is_in(WORK_LOG) => Some(Self::WorkLog),
            () if is_in(ROADMAP) => Some(Self::Roadmap),
            () => None,
        }
    }
}

/// Whether a title names what people write beside their items: notes, and not things to be done.
pub(crate) fn is_remark(title: &str) -> bool {
    const REMARKS: &str = "note notes remark remarks comment comments legend key statuslegend statuskey assumptions risks context \
        background references reference links decisions constraints conventions 备注 说明 注意 注意事项 图例 背景 参考 備註 說明 圖例 메모 \
        비고 참고 범례 배경 メモ 備考 凡例 参考 注意事項 notizen anmerkungen hinweise legende hintergrund risiken remarques légende \
        contexte risques notas leyenda contexto riesgos riscos observações note legenda примечания заметки легенда контекст риски";
    is_one_of(&squeezed(title), REMARKS)
}

/// Yes or no, as people say it.
pub(crate) fn yes_or_no(raw: &str) -> Option<bool> {
    let word = squeezed(raw.split(['(', ',', ';', '—', '.']).next().unwrap_or(raw));
    const YES: &str = "yes true y 1 是 예 네 はい ja oui sí si да";
    const NO: &str = "no false n 0 none 否 不 아니오 아니요 いいえ nein non não нет";
    let is_in = |words: &str| is_one_of(&word, words);
    match () {
        () if is_in(YES) => Some(true),
        () if is_in(NO) => Some(false),
        () => None,
    }
}

/// The part that a word names.
pub(crate) fn part(raw: &str) -> Option<Part> {
    const PLANNER: &str = "planner plan planning 规划者 计划者 规划 規劃者 計画者 플래너 계획자 planer planificateur planificador планировщик";
    const EXECUTOR: &str = "executor runner execute worker actor 执行者 执行 執行者 実行者 실행자 ausführer ausführender exécuteur ejecutor исполнитель";
    let word = squeezed(raw.split(['(', ',', ';', '/', '—']).next().unwrap_or(raw));
    let is_in = |words: &str| is_one_of(&word, words);
    match () {
        () if is_in(PLANNER) => Some(Part::Planner),
        () if is_in(EXECUTOR) => Some(Part::Executor),
        () => None,
    }
}

/// How often a task is due, as people say it.
pub(crate) fn period(raw: &str) -> Option<Period> {
    const HOURLY: &str =
        "hourly hour everyhour onceanhour onceperhour 1h 每小时 매시간 stündlich chaquehora cadahora ежечасно";
    const DAILY: &str =
        "daily day everyday onceaday onceperday 1d 24h 每天 每日 매일 täglich quotidien diario ежедневно";
    let word = squeezed(raw);
    let is_in = |words: &str| is_one_of(&word, words);
    match () {
        () if is_in(HOURLY) => Some(Period::Hourly),
        () if is_in(DAILY) => Some(Period::Daily),
        () => None,
    }
}
