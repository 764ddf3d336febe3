//! Every limit of the store, by name. Nothing in it loops, queues or grows past one of these.

use std::time::Duration;

/// The longest path of a document, in bytes.
pub const PATH_BYTES: usize = 4000;
/// The longest name within a path: what Linux file systems allow.
pub const NAME_BYTES: usize = 255;
/// Text up to this size travels inside a record; anything larger, or not UTF-8, is a blob.
pub const INLINE_BYTES: usize = 64 * 1024;
/// A longer line in the journal is damage, not a record.
pub const RECORD_BYTES: usize = 64 * 1024 * 1024;
/// The largest document.
pub const DOCUMENT_BYTES: u64 = 1024 * 1024 * 1024;
/// Documents up to this size are compared line by line when their content is replaced.
pub const COMPARED_BYTES: usize = 1024 * 1024;
/// How much of a journal segment is filled with padding ahead of its end, so that a commit changes no file size.
pub const PADDING_BYTES: usize = 128 * 1024;
/// The most that it grows to in a long segment.
pub const MOST_PADDING_BYTES: u64 = 2 * 1024 * 1024;
/// A checkpoint is due when this much journal has been written since the last, or twice the last checkpoint's size.
pub const CHECKPOINT_BYTES: u64 = 8 * 1024 * 1024;
/// How many changes of a document are remembered to find the version that an edit started from.
pub const REMEMBERED_CHANGES: usize = 4096;
/// How many files that edits were found in are tried as what a later edit started from.
pub const REMEMBERED_FILES: usize = 16;
/// How many segments of the journal are searched for changes from before the checkpoint.
pub const REMEMBERED_SEGMENTS: usize = 16;
/// How many bytes of changes of one document are remembered.
pub const REMEMBERED_BYTES: usize = 4 * 1024 * 1024;
/// An edit is taken over when its stamp was the same twice, this far apart.
pub const EDIT_SETTLES: Duration = Duration::from_millis(50);
/// How many bytes of edited files one record speaks of: what is cut and put may each be as much, spelled as JSON.
pub const EDITED_TOGETHER: usize = 4 * 1024 * 1024;
/// A quiet edit waits at most this long for others that are not quiet yet, to be one record with them.
pub const EDIT_COMPANY: Duration = Duration::from_secs(1);
/// A file that some process holds open for writing counts as unsettled for at most this long.
pub const WRITER_PATIENCE: Duration = Duration::from_secs(10);
/// After this long of waiting for files to be quiet, a person is told.
pub const WAITING_TOLD: Duration = Duration::from_secs(1);
/// The shortest time between two placings of one file, and how long those that fell behind at least wait for others.
pub const PLACE_PAUSE: Duration = Duration::from_millis(50);
/// A placing begins no sooner than this many times what it is expected to take after its first file fell behind.
pub const PLACE_SHARE: u32 = 10;
/// But no later than this.
pub const PLACE_LATEST: Duration = Duration::from_secs(1);
/// A file that another process has to place is placed for it after this long: many that follow one document do not all
/// write it.
pub const PLACE_FOR_OTHERS: Duration = Duration::from_millis(500);
/// A file that another process has placed less than this ago is left to it for as long: many that change one document take
/// turns in placing it.
pub const PLACE_TURN: Duration = Duration::from_millis(100);
/// What placing one file is expected to take before any was placed.
pub const PLACE_GUESS: Duration = Duration::from_micros(100);
/// How soon one who has nothing else to do looks whether somebody else has written what is to be placed.
pub const PLACE_POLL: Duration = Duration::from_millis(2);
/// How often it is looked whether the lock's file is still the one in its place.
pub const LOCK_CHECKED: Duration = Duration::from_millis(100);
/// A file is placed again no sooner than this many times what its last placing took: two large tables that change at
/// every step cost a fifteenth of the time.
pub const PLACE_COST_FACTOR: u32 = 30;
/// File times closer to the present than this say nothing about what came after.
pub const RACY: Duration = Duration::from_millis(20);
/// How many files are placed under one taking of the lock.
pub const PLACED_TOGETHER: usize = 64;
/// Between two tries for a lock that another process holds.
pub const LOCK_PAUSE: Duration = Duration::from_micros(100);
/// How often one who waits for the lock looks who holds it.
pub const LOCK_WATCHED: Duration = Duration::from_millis(250);
/// After this long the holder of the lock is named.
pub const LOCK_NAMED: Duration = Duration::from_secs(2);
/// After this long waiting for the lock ends with a fault.
pub const LOCK_PATIENCE: Duration = Duration::from_secs(30);
/// How long a claim of an opening that cannot be seen counts after it was last heard of, a few times over; and how soon one
/// that is over is noticed by others.
pub const LEASE: Duration = Duration::from_secs(5);
/// So many leases without a word are silence; and so often in one an opening says that it goes on.
pub const LEASES_OF_SILENCE: u32 = 3;
