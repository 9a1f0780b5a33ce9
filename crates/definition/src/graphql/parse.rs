//! Parses executable GraphQL documents (GraphQL specification, section 2.3 and later).

use std::fmt;

use super::scan::{Fault, Token, TokenKind, tokens};

/// Maximum nesting depth, which is more than real queries need and low enough for the stack of any thread.
const MAX_DEPTH: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Document<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) operations: Vec<Operation<'a>>,
    /// Indexes of the tokens `query` and `{` that begin an operation without a name, variables, and directives. For
    /// these operations, the word `query` is optional.
    pub(super) optional_query: Vec<usize>,
}

#[derive(Debug, Default)]
pub(super) struct Operation<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) variables: Vec<Variable<'a>>,
}

#[derive(Debug)]
pub(super) struct Variable<'a> {
    pub(super) name: &'a str,
    /// True if the variable's type is not nullable and the variable has no default value.
    pub(super) is_required: bool,
}

/// The reason why a document is invalid.
#[derive(Debug)]
pub(super) enum DocumentError {
    Syntax {
        line: usize,
        column: usize,
        problem: String,
    },
    Empty,
    /// The document contains only fragments.
    NoOperation,
    UndefinedFragment(String),
    UndefinedVariable(String),
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column, problem } => write!(f, "line {line}, column {column}: {problem}"),
            Self::Empty => f.write_str("the query is empty"),
            Self::NoOperation => f.write_str("the query has no operation, only fragments"),
            Self::UndefinedFragment(name) => write!(f, "the fragment {name:?} is used but not defined"),
            Self::UndefinedVariable(name) => write!(f, "the variable ${name} is used but not defined"),
        }
    }
}

/// Parses a document. Errors in the syntax contain their position.
pub(super) fn document(text: &str) -> Result<Document<'_>, DocumentError> {
    let with_position = |fault: Fault| {
        let before = &text[..fault.at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        DocumentError::Syntax {
            line,
            column,
            problem: fault.problem,
        }
    };
    let tokens = tokens(text).map_err(with_position)?;
    if tokens.is_empty() {
        return Err(DocumentError::Empty);
    }
    let document = Document {
        tokens,
        ..Document::default()
    };
    let mut parser = Parser {
        document,
        end: text.len(),
        ..Parser::default()
    };
    while parser.peek().is_some() {
        parser.definition().map_err(with_position)?;
    }
    parser.check()?;
    Ok(parser.document)
}

#[derive(Default)]
struct Parser<'a> {
    document: Document<'a>,
    at: usize,
    /// Byte offset of the end of the text.
    end: usize,
    depth: usize,
    fragments: Vec<&'a str>,
    spreads: Vec<&'a str>,
    used_variables: Vec<&'a str>,
}

type Done = Result<(), Fault>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.document.tokens.get(self.at).copied()
    }

    fn is(&self, text: &str) -> bool {
        self.peek()
            .is_some_and(|token| token.kind != TokenKind::String && token.text == text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Done {
        if self.eat(text) {
            Ok(())
        } else {
            Err(self.expected(&format!("'{text}'")))
        }
    }

    fn name(&mut self, expectation: &str) -> Result<&'a str, Fault> {
        match self.peek() {
            Some(token) if token.kind == TokenKind::Name => {
                self.at += 1;
                Ok(token.text)
            }
            _ => Err(self.expected(expectation)),
        }
    }

    fn expected(&self, expectation: &str) -> Fault {
        let found = self.peek().map(|token| format!("'{}'", token.text));
        let found = found.unwrap_or_else(|| "the end of the document".to_owned());
        self.fault(format!("expected {expectation}, found {found}"))
    }

    /// Creates an error at the position of the current token.
    fn fault(&self, problem: String) -> Fault {
        let at = self.peek().map_or(self.end, |token| token.at);
        Fault { at, problem }
    }

    fn definition(&mut self) -> Done {
        let start = self.at;
        if self.is("{") {
            self.document.optional_query.push(start);
            self.begin(start, Operation::default())?;
            return self.selections();
        }
        let Some(token) = self.peek() else { return Ok(()) };
        match token.text {
            "query" | "mutation" | "subscription" => {
                self.at += 1;
                let has_name = self.peek().is_some_and(|next| next.kind == TokenKind::Name);
                let name = if has_name { Some(self.name("a name")?) } else { None };
                if token.text == "query" && self.is("{") && name.is_none() {
                    self.document.optional_query.extend([start, self.at]);
                }
                let variables = if self.is("(") { self.variables()? } else { Vec::new() };
                self.begin(start, Operation { name, variables })?;
                self.directives()?;
                self.selections()
            }
            "fragment" => {
                self.at += 1;
                let name = self.name("the name of the fragment")?;
                self.fragments.push(name);
                self.expect("on")?;
                self.name("a type")?;
                self.directives()?;
                self.selections()
            }
            schema if token.kind == TokenKind::Name => Err(self.fault(format!(
                "{schema:?} is part of a schema; expected query, mutation, subscription, fragment, or '{{'"
            ))),
            _ => Err(self.expected("query, mutation, subscription, fragment, or '{'")),
        }
    }

    fn begin(&mut self, start: usize, operation: Operation<'a>) -> Done {
        let alone = self.document.operations.is_empty();
        if !alone && (operation.name.is_none() || self.document.operations.iter().any(|other| other.name.is_none())) {
            let problem = "an operation without a name must be the only one".to_owned();
            return Err(Fault {
                at: self.document.tokens[start].at,
                problem,
            });
        }
        self.document.operations.push(operation);
        Ok(())
    }

    fn variables(&mut self) -> Result<Vec<Variable<'a>>, Fault> {
        self.expect("(")?;
        let mut variables = Vec::new();
        while !self.eat(")") {
            self.expect("$")?;
            let name = self.name("the name of a variable")?;
            self.expect(":")?;
            let is_nullable = self.type_name()?;
            let has_default = self.eat("=");
            if has_default {
                self.value()?;
            }
            self.directives()?;
            variables.push(Variable {
                name,
                is_required: !is_nullable && !has_default,
            });
        }
        Ok(variables)
    }

    /// Parses a type. Returns true if it is nullable.
    fn type_name(&mut self) -> Result<bool, Fault> {
        self.deeper()?;
        if self.eat("[") {
            self.type_name()?;
            self.expect("]")?;
        } else {
            self.name("a type")?;
        }
        self.depth -= 1;
        Ok(!self.eat("!"))
    }

    fn directives(&mut self) -> Done {
        while self.eat("@") {
            self.name("the name of a directive")?;
            self.arguments()?;
        }
        Ok(())
    }

    fn arguments(&mut self) -> Done {
        if self.eat("(") {
            loop {
                self.name("the name of an argument")?;
                self.expect(":")?;
                self.value()?;
                if self.eat(")") {
                    break;
                }
            }
        }
        Ok(())
    }

    fn value(&mut self) -> Done {
        let Some(token) = self.peek() else {
            return Err(self.expected("a value"));
        };
        self.deeper()?;
        self.at += 1;
        match (token.kind, token.text) {
            (TokenKind::Name | TokenKind::Number | TokenKind::String, _) => {}
            (_, "$") => {
                let name = self.name("the name of a variable")?;
                self.used_variables.push(name);
            }
            (_, "[") => {
                while !self.eat("]") {
                    self.value()?;
                }
            }
            (_, "{") => {
                while !self.eat("}") {
                    self.name("the name of a field")?;
                    self.expect(":")?;
                    self.value()?;
                }
            }
            _ => {
                self.at -= 1;
                return Err(self.expected("a value"));
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn selections(&mut self) -> Done {
        self.expect("{")?;
        self.deeper()?;
        let mut is_first = true;
        while is_first || !self.eat("}") {
            self.selection(if is_first && self.peek().is_some() {
                "a field or '...'"
            } else {
                "a field, '...', or '}'"
            })?;
            is_first = false;
        }
        self.depth -= 1;
        Ok(())
    }

    fn selection(&mut self, expected: &str) -> Done {
        if self.eat("...") {
            if self.eat("on") {
                self.name("a type")?;
            } else if self.peek().is_some_and(|token| token.kind == TokenKind::Name) {
                let name = self.name("a fragment")?;
                self.spreads.push(name);
                return self.directives();
            }
            self.directives()?;
            return self.selections();
        }
        self.name(expected)?;
        if self.eat(":") {
            self.name("a field")?;
        }
        self.arguments()?;
        self.directives()?;
        if self.is("{") { self.selections() } else { Ok(()) }
    }

    fn deeper(&mut self) -> Done {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        Err(self.fault(format!("the query is nested deeper than {MAX_DEPTH} levels")))
    }

    /// Checks that all used fragments and variables are defined.
    fn check(&self) -> Result<(), DocumentError> {
        if self.document.operations.is_empty() {
            return Err(DocumentError::NoOperation);
        }
        if let Some(name) = self.spreads.iter().find(|name| !self.fragments.contains(name)) {
            return Err(DocumentError::UndefinedFragment((*name).to_owned()));
        }
        let defined = |name: &str| {
            self.document
                .operations
                .iter()
                .flat_map(|operation| &operation.variables)
                .any(|known| known.name == name)
        };
        match self.used_variables.iter().find(|name| !defined(name)) {
            Some(name) => Err(DocumentError::UndefinedVariable((*name).to_owned())),
            None => Ok(()),
        }
    }
}
