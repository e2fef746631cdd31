//! Tests that each rule flags a sentence that breaks it, and does not flag a plain sentence. If a rule
//! becomes weaker, a test here fails.

use super::super::rules::{CHAIN, HEADLESS, INVERTED, RULES, TERMS, WORDS};
use super::*;

/// Checks that a rule flags a sentence.
#[track_caller]
fn flags(rule: &str, bad: &str) {
    assert!(broken(bad).contains(&rule), "no flag `{rule}`: {bad}: {:?}", broken(bad));
}

#[track_caller]
fn passes(good: &str) {
    assert_eq!(broken(good), [""; 0], "{good}");
}

#[test]
fn the_rule_set_does_not_shrink() {
    let names = RULES.map(|(name, _)| name);
    for name in ["long", "inverted", "chain", "headless", "nested", "word"] {
        assert!(names.contains(&name), "the rule `{name}` is missing");
    }
}

#[test]
fn a_sentence_has_at_most_28_words() {
    let words = |count: usize| format!("The{}.", " word".repeat(count - 1));
    passes(&words(28));
    flags("long", &words(29));
    // Words in code, and in the target of a link, do not count.
    passes(&format!("{} `a b c d` [one](two three).", "word ".repeat(26)));
}

/// For each phrase that must not begin a sentence, a sentence that begins with it.
const INVERTED_SENTENCES: [(&str, &str); 27] = [
    ("what", "What the mask contains is the brain."),
    ("where", "Where the mask is empty, nothing is written."),
    ("whether", "Whether a voxel counts depends on the mask."),
    ("who", "Who calls the function gets the volume."),
    ("whoever", "Whoever calls the function gets the volume."),
    ("whatever", "Whatever the mask has is read."),
    ("whichever", "Whichever mask is given is read."),
    ("wherever", "Wherever the mask is empty, zeros are written."),
    ("of", "Of each voxel the mean is written."),
    ("by !default", "By the mask the voxels are chosen."),
    ("beside", "Beside the image there is a table."),
    ("behind", "Behind the image there is a table."),
    ("without which|what|whom|whose", "Without which the command fails."),
    (
        "with|in|on|from|to|for|at|after|before|under which|what|whom|whose",
        "From which the mean is computed.",
    ),
    ("whose", "Whose mean is above zero is kept."),
    ("whom", "Whom the group has is listed."),
    ("which", "Which voxels count is in the mask."),
    ("how many|much", "How many voxels count depends on the mask."),
    ("as many|far|much", "As many voxels as fit are read."),
    ("so many|much", "So many voxels are read at once."),
    ("such", "Such voxels are read at once."),
    ("that of", "That of the mask is read first."),
    ("those", "Those in the mask are read first."),
    ("nothing", "Nothing in the mask is read twice."),
    ("none of", "None of the voxels are read twice."),
    ("all that", "All that the mask has is read."),
    ("one that", "One that the mask has is read."),
];

#[test]
fn a_sentence_begins_with_its_subject() {
    for phrase in INVERTED {
        assert!(
            INVERTED_SENTENCES.iter().any(|(listed, _)| *listed == phrase),
            "`{phrase}` needs a sentence here"
        );
    }
    for (phrase, bad) in INVERTED_SENTENCES {
        assert!(INVERTED.contains(&phrase), "the rule `inverted` has no `{phrase}` any more");
        flags("inverted", bad);
        flags("inverted", &format!("({bad})"));
    }
    for good in [
        "The mask contains the brain.",
        "If the mask is empty, zeros are written.",
        "By default the mask is the brain.",
        "What does the mask contain?",
        "What's new in this release.",
        "With a mask the command is faster.",
    ] {
        passes(good);
    }
}

#[test]
fn a_message_begins_with_its_subject_after_the_file() {
    let message = |text: &str| {
        let literal = format!("fn f() {{ g(\"{text}\"); }}");
        let passages = super::super::files::passages("crates/some/src/a.rs", &literal);
        passages.iter().flat_map(of_passage).collect::<Vec<_>>()
    };
    assert_eq!(message("what the mask contains is no brain"), ["inverted"]);
    assert_eq!(message("{path}: what the mask contains is no brain"), ["inverted"]);
    assert_eq!(message("{path}: the mask contains no brain voxels"), [""; 0]);
    assert_eq!(message(", which the mask does not contain"), [""; 0]);
    // The text is the second half of a message, so it may begin in lower case.
    assert_eq!(message(" of the mask that was given"), [""; 0]);
}

#[test]
fn a_sentence_refers_back_at_most_once() {
    let sentences = [
        ("of these|those|which|it|them|that|what|whom", "The mean of these is the sum of those."),
        ("in these|those|which", "The voxels in these are the voxels in those."),
        ("those of|that|which", "The means are those of a mask or those that remain."),
        ("that of", "The mean is that of a mask or that of a voxel."),
        (
            "what is|are|was|were|has|have|it|they|one|a|the",
            "The program writes what is read and what the mask has.",
        ),
        ("which is|are then|said", "The mean which is then written is the one which are said."),
    ];
    for phrase in CHAIN {
        assert!(sentences.iter().any(|(listed, _)| *listed == phrase), "`{phrase}` needs a sentence here");
    }
    for (phrase, bad) in sentences {
        assert!(CHAIN.contains(&phrase), "the rule `chain` has no `{phrase}` any more");
        flags("chain", bad);
    }
    passes("The mean of these is written.");
    passes("The mean of the voxels is the sum of the signals.");
}

#[test]
fn a_preposition_has_a_noun() {
    let sentences = [
        (
            "by|for|from|with|to|of|in|on|at|as|like|than|behind|under|over|without|until|after|before what",
            "The signal is divided by what the mask has.",
        ),
        ("by|for|from|with|to|of|than|without whoever", "The mask is read by whoever needs it."),
    ];
    assert_eq!(HEADLESS.len(), sentences.len());
    for (phrase, bad) in sentences {
        assert!(HEADLESS.contains(&phrase), "the rule `headless` has no `{phrase}` any more");
        flags("headless", bad);
    }
    passes("The signal is divided by the mean of the mask.");
}

#[test]
fn a_sentence_has_at_most_two_subordinate_clauses() {
    flags("nested", "The mask, which a file has, states which voxels count and how many remain.");
    passes("The mask, which a file has, states how many voxels remain.");
}

/// For each phrase of the project's former language, a sentence with it and a plain sentence.
const WORD_SENTENCES: [(&str, &str, &str); 55] = [
    ("heed|heeds|heeding|heeded", "The tracker heeds the mask.", "The tracker uses the mask."),
    ("beside|besides", "The table is beside the image.", "The table is next to the image."),
    (
        "lies|lie|lay|lying in|on|at|beside|outside|inside|by|there|wrongly",
        "The voxel lies in the mask.",
        "The voxel is in the mask.",
    ),
    (
        "stand|stands in|on|for|beside|there|above|below|at",
        "The number stands in the table.",
        "The number is in the table.",
    ),
    (
        "go|goes|going|went on",
        "The streamline goes on after a turn.",
        "The streamline continues after a turn.",
    ),
    ("is|are|was|were|be|been said|told", "The unit is said in the help.", "The help states the unit."),
    ("tell|tells of", "The table tells of the errors.", "The table lists the errors."),
    (
        "say|says so|it|what|which|how|where|that|of|whether|why",
        "The report says how long it took.",
        "The report states the time.",
    ),
    (
        "tell|tells what|which|how|where|whether|why",
        "The report tells how long it took.",
        "The report states the time.",
    ),
    ("to be said|told", "The unit has to be said.", "The unit is required here."),
    ("wish|wishes", "The wishes of the user are kept.", "The options of the user are kept."),
    ("so many", "The mask has so many voxels.", "The mask has at most nine voxels."),
    ("as many as", "There are as many as there are voxels.", "The number of voxels is stored."),
    ("for oneself", "The command is for oneself only.", "The command works alone."),
    ("by itself|themselves", "The program stops by itself.", "The program stops without a request."),
    ("where there is|are", "The mean is written where there is one.", "The mean is written if it exists."),
    ("where one|it is", "The mask is read where one is given.", "The mask is read if it is given."),
    (
        "where nothing|none|neither",
        "The brain is used where nothing is given.",
        "The brain is used without a mask.",
    ),
    (
        "fails|fail|refused|refuses where",
        "The function fails where the mask is empty.",
        "The function returns an error if the mask is empty.",
    ),
    ("come|comes to be|that", "The sum comes to be zero.", "The sum becomes zero later."),
    ("came to", "The run came to an end.", "The run ended with success."),
    ("make|makes of|what", "The program makes of it an image.", "The program converts it to an image."),
    (
        "made of !steel|two|three|several",
        "The image is made of the scan.",
        "The image is made of two volumes.",
    ),
    ("as far as", "The line is read as far as it goes.", "The line is read up to its end."),
    ("lattice|lattices", "The lattice has three axes.", "The grid has three axes."),
    (
        "words of fsl|the|mrtrix|its|a|other",
        "The program takes the words of FSL.",
        "The program takes the options of FSL.",
    ),
    (
        "in the words",
        "The line is in the words of another program.",
        "The line uses another program's syntax.",
    ),
    ("fluid", "The voxel contains only fluid.", "The voxel contains only CSF."),
    ("from * on", "The lines count from ten on.", "The lines count starting at ten."),
    ("is|are what", "The mean is what the table has.", "The table contains the mean."),
    ("ought to", "The mask ought to be smaller.", "The mask should be smaller."),
    ("wherever", "The mean is written wherever it exists.", "The mean is written if it exists."),
    ("thereby", "The sum is thereby exact in each voxel.", "The sum is exact in each voxel."),
    ("therein", "The voxels therein are read.", "The voxels in the mask are read."),
    ("thereof", "The mask and a part thereof are read.", "The mask and its parts are read."),
    ("hence", "The sum is hence exact.", "The sum is therefore exact."),
    ("to be had", "There is no memory to be had.", "There is no memory available."),
    ("not to be", "The file has not to be removed.", "The file must not disappear."),
    ("is|are to be", "The mask is to be read first.", "The mask must exist first."),
    ("meanwhile", "The mask is meanwhile read from disk.", "The mask is read from disk."),
    ("beforehand", "The mask is read beforehand.", "The mask is read before."),
    ("likewise", "The mask is likewise read.", "The mask is also read."),
    ("room|rooms", "The code is in this room.", "The code is in this module."),
    ("noun|nouns", "The noun of the axis is fixed.", "The type of the axis is fixed."),
    ("twin|twins", "The kernel has a twin in C++.", "The kernel has a version in C++."),
    ("behind", "The number is behind the name.", "The number is after the name."),
    (
        "in the place|stead of",
        "The mask is read in the place of the scan.",
        "The mask is read instead of the scan.",
    ),
    ("gpu|cpu half|halves", "The CPU half has another order.", "The CPU implementation has another order."),
    ("way|ways on", "The streamline has no way on.", "The streamline cannot continue here."),
    ("meets what|nothing", "The streamline meets nothing there.", "The streamline passes no target there."),
    ("what was|is measured", "The mean replaces what was measured.", "The mean replaces the measurement."),
    ("what|which is met", "The matrix counts what is met there.", "The matrix counts the targets passed."),
    ("left out", "The first volume is left out.", "The first volume is omitted."),
    ("to be seen", "The tract is to be seen there.", "The tract is visible there."),
    (
        "therefrom|thereto|thereon|whereof|whereby|wherein",
        "The mean is computed therefrom.",
        "The mean is computed from it.",
    ),
];

#[test]
fn standard_terms_replace_private_words() {
    for (phrase, better) in WORDS {
        assert!(!better.is_empty());
        assert!(
            WORD_SENTENCES.iter().any(|(listed, ..)| *listed == phrase),
            "`{phrase}` needs two sentences here"
        );
    }
    for (phrase, bad, good) in WORD_SENTENCES {
        assert!(
            WORDS.iter().any(|(listed, _)| *listed == phrase),
            "the rule `word` has no `{phrase}` any more"
        );
        flags("word", bad);
        assert!(!broken(good).contains(&"word"), "{good}: {:?}", broken(good));
    }
}

#[test]
fn words_of_a_phrase_are_whole_and_next_to_each_other() {
    passes("The twinkle of the fluidics is unheeding.");
    passes("The file lies, in this case, elsewhere.");
    passes("The option `lies in` has no effect here.");
    flags("word", "The FLUID is in the ventricles.");
}

#[test]
fn standard_terms_may_contain_private_words() {
    for term in TERMS {
        passes(&format!("The {term} is in the table."));
        let word = ["fluid", "lattice", "room"].into_iter().find(|word| term.contains(word)).unwrap();
        flags("word", &format!("The {word} is in the table."));
    }
    flags("word", "The cerebrospinal, fluid part is in the table.");
}
