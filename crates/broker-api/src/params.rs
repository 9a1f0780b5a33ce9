//! The parameters that route paths contain.

macro_rules! params {
    ($($variant:ident = $name:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Param {
            $($variant),*
        }

        impl Param {
            /// Returns the parameter's name, which paths contain in braces.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),*
                }
            }

            pub fn parse(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

params! {
    Branch = "branch",
    Consumer = "consumer",
    Environment = "environment",
    Label = "label",
    Metadata = "metadata",
    Number = "number",
    Other = "other",
    Pacticipant = "pacticipant",
    Provider = "provider",
    Relation = "relation",
    Sha = "sha",
    Tag = "tag",
    To = "to",
    Token = "token",
    User = "user",
    Uuid = "uuid",
    Version = "version",
}

/// The decoded path parameters of a request.
#[derive(Clone, Debug, Default)]
pub struct PathParams(Vec<(Param, String)>);

impl PathParams {
    /// Keeps the known parameters. A test ensures that the routes contain no others.
    pub fn new<'a>(params: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let known = |(name, value): (&str, &str)| Some((Param::parse(name)?, value.to_owned()));
        Self(params.into_iter().filter_map(known).collect())
    }

    pub fn get(&self, param: Param) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| *known == param);
        found.map(|(_, value)| value.as_str())
    }
}
