//! Requests are obeyed: what they limit, leave out, set side by side, how long and in which language.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it fails")]

mod project;

use project::{Project, RUN};
use serde_json::{Value, json};

fn assets() -> Vec<(&'static str, Vec<u8>)> {
    let texts: [(&str, &str); 5] = [
        (
            "cities.md",
            "# Cities\n\nKyoto had 1.45 million inhabitants in 2023. It has 1,600 temples. Osaka had 2.75 million inhabitants in 2023.\n\n\
             In 2021 Kyoto welcomed 21 million visitors. In 2023 Kyoto welcomed 50 million visitors.\n",
        ),
        ("guide.txt", "Kyoto had 1.52 million inhabitants in 2023. The castle of Osaka is 58 metres high.\n"),
        ("guests.csv", "city,year,guests\nKyoto,2022,31\nKyoto,2023,50\nOsaka,2023,44\nNara,2023,12\n"),
        ("jp.md", "# 京都\n\n京都の人口は2023年に145万人だった。寺は1600ある。\n"),
        ("old.txt", "Nara was founded in 710. Nara has 350,000 inhabitants.\n"),
    ];
    texts.into_iter().map(|(name, text)| (name, text.as_bytes().to_vec())).collect()
}

/// What a request makes, and all its papers as one text.
fn made(request: &str) -> (String, String) {
    let files = Project::new(&assets(), request).run();
    let all = files.values().cloned().collect::<Vec<_>>().join("\n");
    let report = files.into_iter().find(|(path, _)| path.starts_with("outputs/")).unwrap().1;
    (report, all)
}

/// What a report says below the part that repeats the request.
fn body(report: &str) -> &str {
    report.split("\n## ").nth(1).map_or(report, |asked| &report[report.find(asked).unwrap() + asked.len()..])
}

#[test]
fn mv37_only_what_is_asked_for_is_in_the_report() {
    let (report, _) = made("Write a report only about Kyoto.");
    assert!(report.contains("Understood: only “kyoto”."), "{report}");
    assert!(body(&report).contains("1.45 million") && body(&report).contains("It has 1,600 temples"), "{report}");
    assert!(body(&report).contains("1.45 million against 1.52 million"), "{report}");
    for other in ["Osaka", "Nara", "castle"] {
        assert!(!body(&report).contains(other), "{other}: {report}");
    }
    let (report, _) = made("Report on the cities, but only 2023.");
    assert!(!body(&report).contains("2021") && !body(&report).contains("2022"), "{report}");
    let (report, _) = made("List only the contradictions.");
    assert!(
        report.contains("## Contradictions") && !report.contains("## Figures") && !report.contains("## Chart"),
        "{report}"
    );
}

#[test]
fn mv37_what_is_left_out_is_nowhere() {
    let (report, all) = made("Report on the cities; leave out guests.csv. Do not quote Japanese.");
    assert!(!all.contains("`assets/guests.csv:"), "{all}");
    assert!(body(&report).contains("left out, as was asked (`assets/guests.csv`)"), "{report}");
    assert!(!body(&report).contains('京') && !body(&report).contains('寺'), "{report}");
    assert!(body(&report).contains("`assets/jp.md`"), "what was left out is told: {report}");
    let (report, _) = made("Report on the cities without inhabitants.");
    assert!(!body(&report).contains("inhabitants") && body(&report).contains("castle"), "{report}");
}

#[test]
fn mv37_length_and_language_are_those_of_the_request() {
    let (report, _) = made("Write a report about the cities in German, in at most 5 sentences.");
    assert!(report.contains("Durch Auszüge erstellt, ohne Sprachmodell"), "{report}");
    assert!(
        report.contains("## Zusammenfassung") && report.contains("Ohne Sprachmodell nicht möglich: Übersetzung"),
        "{report}"
    );
    let entries = body(&report).lines().filter(|line| line.starts_with("- ") || line.starts_with("| ")).count();
    assert!(entries <= 5, "{report}");
    for (request, title) in [
        ("Schreibe einen Bericht über die Städte und ihre Gäste.", "## Widersprüche"),
        ("Écris un rapport sur les villes et leurs visiteurs.", "## Contradictions"),
        ("Escribe un informe sobre las ciudades y sus visitantes.", "## Contradicciones"),
        ("Scrivi una relazione sulle città e sui loro visitatori.", "## Contraddizioni"),
        ("Escreva um relatório sobre as cidades e os seus visitantes.", "## Contradições"),
        ("Schrijf een verslag over de steden en hun bezoekers.", "## Tegenstrijdigheden"),
        ("Napisz raport o miastach i o ich gościach w roku 2023.", "## Sprzeczności"),
        ("Şehirler ve ziyaretçileri için bir rapor yaz.", "## Çelişkiler"),
        ("Напиши отчёт о городах и их гостях.", "## Противоречия"),
        ("都市とその訪問者についての報告書を書いてください。", "## 矛盾"),
        ("도시와 방문객에 대한 보고서를 작성해 주세요.", "## 모순"),
        ("请写一份关于城市及其游客的报告。", "## 矛盾"),
    ] {
        let (report, _) = made(request);
        assert!(report.contains(title), "{request}: {report}");
        assert!(!report.contains("## Figures") && !report.contains("Asked for:"), "{request}: {report}");
    }
    let (report, _) = made("اكتب تقريرا عن المدن.");
    assert!(
        report.contains("titles in Arabic: there is no table of phrases for it, so they stand in English"),
        "{report}"
    );
}

#[test]
fn things_to_compare_stand_side_by_side() {
    let (report, _) = made("Compare Kyoto and Osaka.");
    assert!(report.contains("| what | Kyoto | Osaka | source |"), "{report}");
    let row =
        report.lines().find(|line| line.starts_with("| inhabitants, 2023 |")).unwrap_or_else(|| panic!("{report}"));
    assert!(
        row.contains("| 1.45 million / 1.52 million | 2.75 million |") && row.matches("assets/").count() == 2,
        "{row}"
    );
    assert!(
        report.contains("## About: Osaka") && report.contains("The castle of Osaka is 58 metres high."),
        "{report}"
    );
}

#[test]
fn mv08_the_proposal_says_what_was_understood_and_what_cannot_be_done() {
    let project = Project::new(&assets(), "Explain why Kyoto grew, only 2023, in French. Sing it loud.");
    let result = project.ask("planner", "propose", |_| {}).result;
    let told = result["introduction"].as_str().unwrap();
    for words in [
        "Understood: only 2023; titles and fixed phrases in French.",
        "Not possible without a model: explanations and judgements",
        "No rule reads these sentences; their words only weigh in the order: “Sing it loud.”",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

/// MV-08: a proposal speaks the language of its request, and what it adds itself is understood again in that language.
#[test]
fn mv08_a_proposal_is_in_the_language_of_its_request() {
    for (request, told, source) in [
        (
            "Schreibe einen Bericht nur über Kyoto.",
            ["Verstanden: nur", "Durch Auszüge, ohne Sprachmodell"],
            "Verwende nur diese Quellen: assets/",
        ),
        ("교토에 관한 보고서를 작성해 주세요.", ["이해한 내용:", "추출로 작성"], "다음 자료만 사용: assets/"),
        ("京都についての報告書を書いてください。", ["理解した", "抽出による"], "次の資料だけを使う：assets/"),
        ("Escribe un informe sobre Kyoto.", ["Entendido:", "Por extracción"], "Usar solo estas fuentes: assets/"),
    ] {
        let mut project = Project::new(&assets(), request);
        let result = project.ask("planner", "propose", |_| {}).result;
        let introduction = result["introduction"].as_str().unwrap();
        assert!(told.iter().all(|words| introduction.contains(words)), "{introduction}");
        let instructions = result["instructions"].to_string();
        assert!(instructions.contains(source) && !instructions.contains("cite file"), "{instructions}");
        let files = project.run();
        let report = &files[&format!("outputs/{RUN}/report.md")];
        assert!(
            !report.contains(source.trim_end_matches("assets/")),
            "its own rules are nothing that was asked: {report}"
        );
    }
}

/// MV-08: what a request says many times is proposed, and told as not read, once.
#[test]
fn what_is_said_many_times_is_proposed_once() {
    let request = format!("Write a report about Kyoto. {}", "Sing it loud. ".repeat(40));
    let result = Project::new(&assets(), &request).ask("planner", "propose", |_| {}).result;
    assert_eq!(result["instructions"].to_string().matches("Sing it loud").count(), 1, "{result}");
    assert_eq!(result["introduction"].to_string().matches("Sing it loud").count(), 1, "{result}");
}

/// MV-10: the user's words on a draft bind like those of the request.
#[test]
fn mv10_wishes_are_obeyed_and_replace_what_they_are_contrary_to() {
    let mut project = Project::new(&assets(), "Write a report only about Kyoto.");
    let propose = |project: &Project, wishes: Value| {
        project.ask("planner", "propose", |brief| brief.context["wishes"] = wishes).result
    };
    let result = propose(&project, json!(["Only about Osaka instead.", "Leave out guests.csv."]));
    let instructions: Vec<&str> = result["instructions"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(!instructions.iter().any(|one| one.contains("Kyoto")), "{instructions:?}");
    for (index, content) in instructions.iter().enumerate() {
        let id = format!("I-{RUN}-{:02}", index + 1);
        project.instructions.push(json!({"instruction_id": id, "run_id": RUN, "content": content}));
    }
    let report = project.ask("executor", "execute", |brief| {
        brief.files = assets().iter().map(|(name, _)| project::file(format!("assets/{name}"))).collect();
        brief.expects.outputs = vec![format!("outputs/{RUN}/report.md")];
    });
    let report = report.outputs[0].content.clone().unwrap();
    assert!(body(&report).contains("Osaka") && !body(&report).contains("Kyoto"), "{report}");
    assert!(!report.contains("guests.csv:"), "{report}");
}

/// QL-32: odd files are read in the encoding they have, or told as not readable; never with wrong letters.
#[test]
fn odd_encodings_and_odd_files_are_told() {
    let latin = b"Die L\xe4nge der Br\xfccke von Mu\xdfbach betr\xe4gt 40 Meter.\n".to_vec();
    let sjis = b"\x93\xfa\x96{\x8c\xea\x82\xcc\x83e\x83L\x83X\x83g\x82\xc5\x82\xb7\n".to_vec();
    let wide: Vec<u8> = "The quay is 40 metres long.\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let files = [
        ("latin.txt", latin),
        ("sjis.txt", sjis),
        ("wide.txt", wide),
        ("empty.md", Vec::new()),
        ("a.bin", vec![0, 1, 2, 255]),
        ("many.json", format!("[{}", "{\"ship\": \"Aurora\", \"length_m\": 40},\n".repeat(90_000)).into_bytes()),
    ];
    let report = Project::new(&files, "Report on the bridges and quays.")
        .run()
        .into_iter()
        .find(|(path, _)| path.starts_with("outputs/"))
        .unwrap()
        .1;
    assert!(!report.contains('\u{fffd}'), "{report}");
    for words in [
        "Die Länge der Brücke von Mußbach beträgt 40 Meter. (`assets/latin.txt:1`)",
        "read as Windows-1252: it is not UTF-8 (`assets/latin.txt:1`)",
        "The quay is 40 metres long. (`assets/wide.txt:1`)",
        "save it as UTF-8 (`assets/sjis.txt`)",
        "empty: there is nothing in it (`assets/empty.md`)",
        "long, so that only its beginning was read (`assets/many.json`)",
        "(`assets/a.bin`)",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
}
