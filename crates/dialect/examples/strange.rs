use dialect::cycle::*;
use serde_json::json;
fn main() {
    let bytes = std::fs::read(std::env::args().last().unwrap()).unwrap();
    let reading = read(&bytes);
    for b in &reading.blocks {
        let meaning = format!("{:?}", b.meaning);
        println!(
            "{}",
            json!({"block": {"line": b.line, "start": b.span.start, "end": b.span.end, "signature": b.signature.map(|s| s.to_string()), "agent": b.agent.map(|a| a.name()), "result": b.result.map(|a| a.name()), "confidence": b.confidence, "next": b.next.map(|a| a.name()), "meaning": meaning, "summary": b.summary, "context": b.context, "fields": b.fields, "written": b.written}})
        );
    }
    for d in reading.all_deviations() {
        println!(
            "{}",
            json!({"deviation": {"line": d.line, "column": d.column, "weight": format!("{:?}", d.weight), "message": d.reason, "hint": d.mend}})
        );
    }
}
