//! What a file is called in the catalog (`asset_type`): by rule, from the hierarchy's table. Nothing else.

use alloc::string::String;

use crate::apply::Board;
use crate::hierarchy::{AssetKind, Hierarchy, Placing};
use crate::item::{Action, Item};
use crate::names::{layer_in_path, outputs_of};
use crate::view::View;

/// What a file that an item left is called in the catalog.
pub(crate) fn asset_type(hierarchy: &Hierarchy, view: &View<'_>, item: &Item, path: &str) -> &'static str {
    if item.level == hierarchy.tool_level() {
        return hierarchy.tool_asset;
    }
    if item.action == Some(Action::Delete) && path == item.output {
        return DELETION;
    }
    let layer = layer_of(hierarchy, view, item);
    let outputs = match hierarchy.placing {
        Placing::ByPath => outputs_of(&view.head().id),
        Placing::ByFolder => String::from("outputs/"),
    };
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let fits = |kind: AssetKind| match kind {
        AssetKind::Published => path.starts_with(&outputs),
        AssetKind::Named(part) => name.contains(part),
        AssetKind::First => path == item.output && is_first(hierarchy, view, item, &outputs),
        AssetKind::Any => true,
    };
    let mut rules = hierarchy.assets.iter().filter(|rule| rule.layer.is_empty() || rule.layer == layer);
    rules.find(|rule| fits(rule.kind)).map_or("OUTPUT", |rule| rule.asset_type)
}

/// What a note of what was deleted is called.
const DELETION: &str = "DELETION_NOTE";

/// The layer that an item belongs to: the name of its ancestor on the level that the rules go by. Of a task of the
/// preparation, the folder of its output.
pub(crate) fn layer_of<'v>(hierarchy: &Hierarchy, view: &'v View<'_>, item: &'v Item) -> &'v str {
    let mut outermost = item;
    for _ in hierarchy.levels {
        if outermost.level == hierarchy.asset_level {
            break;
        }
        match outermost.parent.as_deref().and_then(|parent| view.item(parent)) {
            Some(parent) => outermost = parent,
            None => break,
        }
    }
    if outermost.level == hierarchy.asset_level { &outermost.name } else { layer_in_path(&outermost.output) }
}

/// Whether no task of the phase that writes to the workspace comes before: by the plan, whatever was done first.
fn is_first(hierarchy: &Hierarchy, view: &View<'_>, item: &Item, outputs: &str) -> bool {
    let task_level = hierarchy.task_level();
    let writes = |item: &Item| item.level == task_level && !item.output.is_empty() && !item.output.starts_with(outputs);
    let Some(mut holder) = item.parent.as_deref().and_then(|parent| view.item(parent)) else { return false };
    if view.children(&holder.id).find(|task| writes(task)).is_none_or(|first| first.id != item.id) {
        return false;
    }
    // An earlier sibling of what holds it, at any level, that has such a task comes before.
    while let Some(above) = holder.parent.as_deref().and_then(|above| view.item(above))
        && above.level < holder.level
    {
        let mut before = view.children(&above.id).take_while(|sibling| sibling.id != holder.id);
        if before.any(|sibling| below_writes(view, sibling, &writes)) {
            return false;
        }
        holder = above;
    }
    true
}

fn below_writes(view: &View<'_>, item: &Item, writes: &impl Fn(&Item) -> bool) -> bool {
    let mut below = view.children(&item.id).filter(|child| child.level > item.level);
    below.any(|child| writes(child) || below_writes(view, child, writes))
}
