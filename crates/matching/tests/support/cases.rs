//! Test cases in the format of the Pact Specification. A file contains `match`, `comment`, `expected`, and `actual`,
//! and may list mismatches that must be found. The folder names determine the part (`request`, `response`, `message`)
//! and the version (`version-3`, `v3`). The default version is V4.

use std::fs;
use std::path::{Path, PathBuf};

use contract_matching::{
    ActualMessage, ActualRequest, ActualResponse, MessagePlan, Mismatch, Options, RequestPlan, ResponsePlan,
};
use contract_model::{Json, Message, Request, Response, SpecificationVersion};

/// A test case file. The folder names determine its part and version.
pub(crate) struct Case {
    pub(crate) file: PathBuf,
    part: Part,
    version: SpecificationVersion,
}

#[derive(Clone, Copy)]
enum Part {
    Request,
    Response,
    Message,
}

/// Returns all test cases in a folder and its subfolders, sorted by name.
pub(crate) fn cases_below(folder: &Path) -> std::io::Result<Vec<Case>> {
    let mut files = Vec::new();
    collect(&folder.canonicalize()?, &mut files)?;
    files.sort();
    Ok(files.into_iter().filter_map(Case::new).collect())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    Ok(())
}

/// Formats the explanation of a mismatch. Only the report crate implements this.
pub(crate) type Explain = fn(&Mismatch) -> Option<String>;

/// Runs the test cases. Returns those that failed, with the reasons. Explanations are checked only if `explain` is set.
pub(crate) fn failures(cases: &[Case], explain: Option<Explain>) -> Vec<(&Case, String)> {
    cases
        .iter()
        .filter_map(|case| case.run(explain).err().map(|reason| (case, reason)))
        .collect()
}

impl Case {
    /// Returns `None` for files outside the folder of a part.
    fn new(file: PathBuf) -> Option<Self> {
        let folders = || {
            file.parent()
                .into_iter()
                .flat_map(Path::ancestors)
                .filter_map(Path::file_name)
        };
        let part = folders().find_map(|name| match name.to_str()? {
            "request" => Some(Part::Request),
            "response" => Some(Part::Response),
            "message" => Some(Part::Message),
            _ => None,
        })?;
        let version = folders().find_map(|name| {
            let name = name.to_str()?;
            let number = name
                .strip_prefix("version-")
                .or_else(|| name.strip_prefix(['v', 'V']))?;
            SpecificationVersion::parse(number)
        });
        Some(Self {
            part,
            version: version.unwrap_or_default(),
            file,
        })
    }

    fn run(&self, explain: Option<Explain>) -> Result<(), String> {
        let bytes = fs::read(&self.file).map_err(|error| error.to_string())?;
        let document = Json::parse(&bytes).map_err(|error| error.to_string())?;
        let member = |name| document.get(name).ok_or(format!("the member {name:?} is missing"));
        let should_match = member("match")?
            .as_bool()
            .ok_or("\"match\" is neither true nor false")?;
        let found = self.compare(member("expected")?, member("actual")?)?;
        if found.is_empty() != should_match {
            return Err(if should_match {
                format!("should match, but:\n{}", listed(&found))
            } else {
                "should not match, but does".to_owned()
            });
        }
        let wanted = document.get("mismatches").and_then(Json::as_array).unwrap_or_default();
        match wanted
            .iter()
            .find(|wanted| !found.iter().any(|found| is(found, wanted, explain)))
        {
            Some(missed) => Err(format!("{missed} is not among the mismatches:\n{}", listed(&found))),
            None => Ok(()),
        }
    }

    fn compare(&self, expected: &Json, actual: &Json) -> Result<Vec<Mismatch>, String> {
        let version = self.version;
        let options = |strict| Options {
            strict,
            specification: version,
            ..Options::LENIENT
        };
        match self.part {
            Part::Request => {
                let read = |json| {
                    Request::read(json, version)
                        .map(|(request, _)| request)
                        .map_err(|error| error.to_string())
                };
                let plan = RequestPlan::new(&read(expected)?, options(true)).map_err(|error| error.to_string())?;
                let actual = ActualRequest::from(&read(actual)?);
                let found = plan.compare(&actual);
                assert_eq!(plan.matches(&actual), found.is_empty(), "{}", self.file.display());
                Ok(found)
            }
            Part::Response => {
                let read = |json| {
                    Response::read(json, version)
                        .map(|(response, _)| response)
                        .map_err(|error| error.to_string())
                };
                let plan = ResponsePlan::new(&read(expected)?, options(false)).map_err(|error| error.to_string())?;
                Ok(plan.compare(&ActualResponse::from(&read(actual)?)))
            }
            Part::Message => {
                let read = |json| {
                    Message::read(json, version)
                        .map(|(message, _)| message)
                        .map_err(|error| error.to_string())
                };
                let plan = MessagePlan::new(&read(expected)?, options(false)).map_err(|error| error.to_string())?;
                Ok(plan.compare(&ActualMessage::from(&read(actual)?)))
            }
        }
    }
}

/// Returns whether the test case describes this mismatch. Compares location, kind, and text as far as the test case
/// specifies them.
fn is(found: &Mismatch, wanted: &Json, explain: Option<Explain>) -> bool {
    let text = |name| wanted.get(name).and_then(Json::as_str);
    text("at").is_none_or(|at| at == found.at.to_string())
        && text("kind").is_none_or(|kind| kind == found.kind.code())
        && text("text").is_none_or(|part| found.to_string().contains(part))
        && text("explanation")
            .is_none_or(|part| explain.is_none_or(|explain| explain(found).is_some_and(|all| all.contains(part))))
}

fn listed(mismatches: &[Mismatch]) -> String {
    let lines: Vec<_> = mismatches
        .iter()
        .map(|found| format!("    {}: {found}", found.at))
        .collect();
    lines.join("\n")
}
