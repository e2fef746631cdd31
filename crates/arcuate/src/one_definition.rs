//! Test: an option that is added to the definition of a command also appears in everything that is generated
//! from this definition, such as the help.

use crate::commands::run::{recipe, stage_commands};
use crate::commands::setup::{completions, man};
use crate::definition::{of_manual, with_help};
use crate::{python_arrays, python_functions};
use arcuate_pipeline::run::Stage;
use clap::{Arg, Command, value_parser};
use clap_complete::Shell;

const HELP: &str = "Radius of the disc that each point covers, in mm";

/// Returns the definition of the command `density` with one additional option.
fn with_option(density: Command) -> Command {
    let option = Arg::new("disc_radius").long("disc-radius").value_name("MM");
    density.arg(option.value_parser(value_parser!(f64)).help(HELP))
}

fn extended() -> Command {
    of_manual().mut_subcommand("density", with_option)
}

/// Returns the text of a Python function.
fn function<'t>(module: &'t str, name: &str) -> &'t str {
    let start = module.find(&format!("\ndef {name}(")).expect("the function exists");
    let text = &module[start + 1..];
    &text[..text.find("\n\n\n").unwrap_or(text.len())]
}

#[test]
fn one_definition_provides_help_manual_and_completions() {
    let help = with_help(extended()).find_subcommand_mut("density").unwrap().render_long_help().to_string();
    assert!(help.contains("--disc-radius <MM>") && help.contains(HELP), "{help}");

    let pages = man::pages(extended()).unwrap();
    let (_, page) = pages.iter().find(|(name, _)| name == "arcuate-density.1").unwrap();
    assert!(page.contains("disc\\-radius") && page.contains(HELP), "{page}");

    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        assert!(completions::script(shell, extended()).contains("disc-radius"), "{shell}");
    }

    let mut root = extended();
    root.build();
    for (module, entry) in [
        (python_functions::module(&root), "\"disc_radius\": disc_radius,"),
        (python_arrays::module(&root), "\"disc_radius\": disc_radius,"),
    ] {
        let function = function(&module, "density");
        let signature = "    disc_radius: Optional[float] = None,\n";
        let documentation = format!("    disc_radius : float, optional\n        {HELP}.\n");
        assert!(function.contains(signature) && function.contains(&documentation), "{function}");
        assert!(function.contains(entry), "{function}");
    }

    let density = with_option(stage_commands::definition(Stage::Density));
    let settable = recipe::settable_of(&density, Stage::Density);
    assert!(settable.iter().any(|option| option.get_long() == Some("disc-radius")));
}
