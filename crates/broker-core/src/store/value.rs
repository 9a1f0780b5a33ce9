use bytes::BytesMut;
use contract_broker_domain::packed::{Packed, unpack};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// A parameter of a statement, or a value in a column. Both databases store times as integers (milliseconds since
/// 1970), and booleans as 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Null,
    Int(i64),
    Text(String),
    /// A text that is stored compressed. Queries return it as `Text`.
    Packed(Packed),
}

impl Value {
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Int(value) => (*value).into(),
            Self::Text(text) => text.as_str().into(),
            Self::Packed(packed) => unpack(packed.bytes()).unwrap_or_default().into(),
        }
    }

    /// Converts a JSON value. Returns `None` for values that columns cannot contain, such as arrays and fractions.
    pub fn from_json(value: &serde_json::Value) -> Option<Self> {
        match value {
            serde_json::Value::Null => Some(Self::Null),
            serde_json::Value::Number(number) => number.as_i64().map(Self::Int),
            serde_json::Value::String(text) => Some(Self::Text(text.clone())),
            _ => None,
        }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<&String> for Value {
    fn from(value: &String) -> Self {
        Self::Text(value.clone())
    }
}

impl From<&Packed> for Value {
    fn from(value: &Packed) -> Self {
        Self::Packed(value.clone())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        use rusqlite::types::{ToSqlOutput, ValueRef};
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(value) => ValueRef::Integer(*value),
            Self::Text(value) => ValueRef::Text(value.as_bytes()),
            Self::Packed(value) => ValueRef::Blob(value.bytes()),
        }))
    }
}

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(value) => value.to_sql(ty, out),
            Self::Text(value) => value.to_sql(ty, out),
            Self::Packed(value) => value.bytes().to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        [Type::INT8, Type::BYTEA].contains(ty) || <&str as ToSql>::accepts(ty)
    }

    to_sql_checked!();
}

/// A row of a result. Columns are read by index.
#[derive(Debug)]
pub struct Row(pub(super) Vec<Value>);

impl Row {
    /// Returns a reader for the columns in their order.
    pub fn columns(&self) -> Columns<'_> {
        Columns(self.0.iter())
    }

    pub fn values(&self) -> &[Value] {
        &self.0
    }

    pub fn int(&self, at: usize) -> i64 {
        self.maybe_int(at).unwrap_or_default()
    }

    pub fn bool(&self, at: usize) -> bool {
        self.int(at) != 0
    }

    pub fn maybe_int(&self, at: usize) -> Option<i64> {
        match self.0.get(at) {
            Some(Value::Int(value)) => Some(*value),
            _ => None,
        }
    }

    pub fn text(&self, at: usize) -> String {
        self.maybe_text(at).unwrap_or_default()
    }

    pub fn maybe_text(&self, at: usize) -> Option<String> {
        match self.0.get(at) {
            Some(Value::Text(value)) => Some(value.clone()),
            _ => None,
        }
    }
}

/// Reads the columns of a row one after the other. The order is that of the SELECT clause.
pub struct Columns<'a>(std::slice::Iter<'a, Value>);

impl Columns<'_> {
    pub fn int(&mut self) -> i64 {
        self.maybe_int().unwrap_or_default()
    }

    pub fn bool(&mut self) -> bool {
        self.int() != 0
    }

    pub fn maybe_int(&mut self) -> Option<i64> {
        match self.0.next() {
            Some(Value::Int(value)) => Some(*value),
            _ => None,
        }
    }

    pub fn text(&mut self) -> String {
        self.maybe_text().unwrap_or_default()
    }

    pub fn maybe_text(&mut self) -> Option<String> {
        match self.0.next() {
            Some(Value::Text(value)) => Some(value.clone()),
            _ => None,
        }
    }
}

macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::store::Value::from($value)),*] };
}
pub(crate) use params;

/// The SQL of a query, and its parameters.
pub type BoundQuery = (String, Vec<Value>);
