//! Tests which warnings jobs receive and users see. Warnings belong to the whole process, so this test is a
//! separate program.

#![cfg(test)]

use arcuate_pipeline::warnings::{WarningList, is_new_to_the_user, repeat};

#[test]
fn warnings_are_shown_once_per_stage_and_received_by_all_listeners() {
    let (command, first, second) = (WarningList::of_job(), WarningList::of_job(), WarningList::of_job());
    let aside = WarningList::default();
    let say = |message: &str| {
        repeat(&[message.to_owned()]);
        is_new_to_the_user(message)
    };
    let _all = command.listen();
    {
        let _stage = first.listen();
        // This list collects warnings but does not track which ones the user was shown.
        let _kept = aside.listen();
        assert!(say("low signal") && !say("low signal"));
    }
    {
        let _stage = second.listen();
        assert!(say("low signal") && say("no gradient") && !say("low signal"));
    }
    assert!(!say("low signal") && say("few seeds"));
    assert_eq!(command.list(), ["low signal", "no gradient", "few seeds"]);
    assert_eq!(second.list(), ["low signal", "no gradient"]);
    assert_eq!((first.list(), aside.list()), (vec!["low signal".to_owned()], vec!["low signal".to_owned()]));
}
