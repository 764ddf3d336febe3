//! How blocks follow each other: in which order a file has them, signatures that repeat or go back, and who came next
//! against who should have. Must not know how a block is written.

use machine::cycle::{Lap, Limits, Party, Reason, Route, Signature, Word};

use super::block::{Block, Deviation, Meaning, Weight};
use super::read::{Order, deviation};

/// Puts blocks in the order of their turns. A file that is written newest first is turned round; blocks that are out of
/// place stay where they are, and are told.
pub(super) fn put_in_order(blocks: &mut [Block], deviations: &mut Vec<Deviation>) -> Order {
    let signatures: Vec<Signature> = blocks.iter().filter_map(|block| block.signature).collect();
    let pairs = || signatures.windows(2).map(|pair| pair[0].cmp(&pair[1]));
    let (rising, falling) =
        (pairs().filter(|order| order.is_lt()).count(), pairs().filter(|order| order.is_gt()).count());
    // Where nothing is signed, the goal's beginning tells.
    let begins = |block: Option<&Block>| block.is_some_and(|block| block.result == Some(Word::Init));
    let ends_with_beginning = signatures.len() < 2 && begins(blocks.last()) && !begins(blocks.first());
    if falling <= rising && !ends_with_beginning {
        return Order::OldestFirst;
    }
    if let Some(first) = blocks.first() {
        let span = first.span.start..first.span.start;
        let reason = "the file is written newest first; it is read by its signatures".into();
        deviations.push(deviation(first.line, span, Weight::Form, reason, "write new blocks at the end".into()));
    }
    blocks.reverse();
    by_signature(blocks);
    Order::NewestFirst
}

/// In a file that is written newest first the place of a block says little: its signature does. One without any stays
/// behind the block that it stands behind.
fn by_signature(blocks: &mut [Block]) {
    let mut last = None;
    let mut keyed: Vec<(Option<Signature>, Block)> = Vec::with_capacity(blocks.len());
    for block in blocks.iter() {
        let is_beginning = block.signature.is_none() && block.result == Some(Word::Init);
        last = if is_beginning { None } else { block.signature.or(last) };
        keyed.push((last, block.clone()));
    }
    keyed.sort_by_key(|(signature, _)| *signature);
    for (place, (_, block)) in blocks.iter_mut().zip(keyed) {
        *place = block;
    }
}

/// What is odd about how blocks follow each other.
pub(super) fn check(blocks: &mut [Block]) {
    count_insufficient(blocks);
    let mut found: Vec<(usize, Weight, String, String)> = Vec::new();
    let mut seen: std::collections::BTreeMap<Signature, usize> = std::collections::BTreeMap::new();
    let mut last: Option<usize> = None;
    for at in 0..blocks.len() {
        let Some(signature) = blocks[at].signature else { continue };
        let before = last.map(|before| &blocks[before]);
        let is_human_step = blocks[at].agent == Some(Party::Human) && signature.step == Signature::HUMAN_STEP;
        let after_human = before.is_some_and(|before| before.agent == Some(Party::Human));
        // A Human's word lets the closing steps begin anew, and leads back from them to loops.
        let begins_anew = after_human && signature.step == 1;
        if begins_anew {
            seen.retain(|other, _| other.lap != Lap::Final);
        }
        match seen.get(&signature) {
            Some(line) if !is_human_step => {
                let reason = format!("the signature {signature} was used on line {line} already");
                found.push((at, Weight::Rule, reason, "sign each block with a signature of its own".into()));
            }
            _ => {
                if let Some(previous) = before.and_then(|before| before.signature) {
                    found
                        .extend(step_from(previous, signature, after_human, &seen).map(|reason| {
                            (at, Weight::Rule, reason, "sign blocks in the order of their turns".into())
                        }));
                }
            }
        }
        if let Some((reason, mend)) = before.and_then(|before| wrong_party(before, &blocks[at])) {
            found.push((at, Weight::Rule, reason, mend));
        }
        seen.entry(signature).or_insert(blocks[at].line);
        last = Some(at);
    }
    for (at, weight, reason, mend) in found {
        let block = &mut blocks[at];
        let span = block.span.start..block.span.start;
        block.deviations.push(deviation(block.line, span, weight, reason, mend));
    }
}

/// What is odd about a signature behind another.
fn step_from(
    previous: Signature,
    signature: Signature,
    after_human: bool,
    seen: &std::collections::BTreeMap<Signature, usize>,
) -> Option<String> {
    if signature.goal != previous.goal {
        let begins = (signature.lap, signature.step) == (Lap::Loop(0), 0);
        return match signature.goal == previous.goal.saturating_add(1) && begins {
            true => None,
            false => {
                Some(format!("goal {} follows goal {}: {signature} after {previous}", signature.goal, previous.goal))
            }
        };
    }
    match (previous.lap, signature.lap) {
        // Closing steps lead back to loops by a Human's word.
        (Lap::Final, Lap::Loop(_)) if after_human => None,
        (Lap::Loop(before), Lap::Loop(now)) if now > before + 1 => {
            Some(format!("loop {now} follows loop {before}: {signature} after {previous}"))
        }
        // A Human's turn carries step 4 wherever in its loop it comes: what was interrupted goes on.
        (before, now) if before == now && after_human && !seen.contains_key(&signature) => None,
        _ if signature < previous => Some(format!("the signature goes back: {signature} after {previous}")),
        _ => None,
    }
}

/// Who came next against whom the block before leads to. A Human may come at any time.
fn wrong_party(before: &Block, block: &Block) -> Option<(String, String)> {
    let Meaning::Goes(route) = &before.meaning else { return None };
    let (came, expected) = (block.agent?, route.party()?);
    let is_new_goal = block.result == Some(Word::Init);
    // The steps that code takes at the end need no verdict where there is nothing to merge or to delete.
    let is_closing = before.signature.is_some_and(|signature| signature.lap == Lap::Final);
    let is_code = expected == Party::Human && before.agent == Some(Party::Actor) && is_closing;
    if came == expected || came == Party::Human || is_new_goal || is_code {
        return None;
    }
    let (agent, result) = (before.agent?, before.result?);
    let why = if (agent, expected) == (Party::Actor, Party::Judge) { "; an Actor cannot skip the Judge" } else { "" };
    let reason =
        format!("{result} of the {agent} on line {} goes to the {expected}, and the {came} came{why}", before.line);
    Some((reason, format!("the {expected}'s block is missing before this one")))
}

/// The fifth INSUFFICIENT in a row goes to the Human, and none before it does.
fn count_insufficient(blocks: &mut [Block]) {
    let most = Limits::default().insufficient;
    let mut count = 0;
    for block in blocks {
        match (block.agent, block.result) {
            (Some(Party::Judge), Some(Word::Insufficient)) => count += 1,
            (Some(Party::Judge | Party::Human), _) => count = 0,
            _ => {}
        }
        let is_closing = block.signature.is_some_and(|signature| signature.lap == Lap::Final);
        if (block.agent, block.result) != (Some(Party::Judge), Some(Word::Insufficient)) || is_closing {
            continue;
        }
        let is_streak = count >= most;
        let goes_to_planner = block.meaning == Meaning::Goes(Route::To(Party::Planner));
        let expected = if is_streak { Party::Human } else { Party::Planner };
        if goes_to_planner && block.next.is_some_and(|next| next != expected && (next == Party::Human || is_streak)) {
            let span = block.span.start..block.span.start;
            let reason = match is_streak {
                true => format!("INSUFFICIENT {count} times in a row goes to the Human"),
                false => format!(
                    "Next is Human, and INSUFFICIENT goes to the Planner until it was said {most} times in a row"
                ),
            };
            let mend = format!("write `- Next: {expected}`");
            block.deviations.push(deviation(block.line, span, Weight::Rule, reason, mend));
        }
        if goes_to_planner && is_streak {
            block.meaning = Meaning::Goes(Route::Human(Reason::Streak(count)));
        }
    }
}

/// How many INSUFFICIENT in a row the record ends with; a Human's word begins the count anew.
pub(super) fn insufficient_in_a_row(blocks: &[Block]) -> usize {
    let mut count = 0;
    for block in blocks.iter().rev() {
        match (block.agent, block.result) {
            (Some(Party::Judge), Some(Word::Insufficient)) => count += 1,
            (Some(Party::Judge | Party::Human), _) => break,
            _ => {}
        }
    }
    count
}
