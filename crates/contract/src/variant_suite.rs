//! Lists the variants of a contract, for suites of tests that receive one variant each.

use std::sync::Arc;
use std::time::Duration;

use contract_definition::{ClaimedInteraction, ContractBuilder, InteractionBuilder, Kind, Selection};
use contract_mock_server::{MockServer, Prepared, ServedInteraction, ServerOptions};
use contract_variants::Variants;

use crate::failure::Failure;
use crate::options::{CallSite, ServeOptions, TransportName};
use crate::serve::{Backend, MockSession, answers, ready, session, varied_interactions};
use crate::variants::{ListedVariant, ServedAnswer, SuiteResults, SuiteTest, VariantRun, resolve_list, served};
use contract_call::error::{ArgumentError, OPTIONS};

/// The variants of a contract's interactions, for a suite of tests. The first test receives the example, and each
/// further test receives one variant. An interaction is written to the contract file once it has passed in all tests.
#[derive(Debug)]
pub struct VariantSuite {
    contract: ContractBuilder,
    claimed: Vec<ClaimedInteraction>,
    interactions: Vec<ServedInteraction>,
    options: ServeOptions,
    prepared: ServerOptions,
    parts: Vec<Part>,
    list: Vec<ListedVariant>,
    /// For each test after the first one: the index of the interaction in `parts`, and the index of the variant.
    tests: Vec<(usize, usize)>,
    results: Arc<SuiteResults>,
}

/// An interaction that has variants.
#[derive(Debug)]
struct Part {
    index: usize,
    description: String,
    variants: Variants,
}

impl VariantSuite {
    /// Lists the variants of the interactions defined since the last call, or of those that the options select.
    /// `options` is the JSON text of [`ServeOptions`](crate::ServeOptions), and `only` is the option of the same name.
    /// On error, the interactions are retired, so that the next test does not serve them.
    pub fn new(
        contract: &ContractBuilder,
        options: &str,
        only: Option<Vec<InteractionBuilder>>,
        call_site: &CallSite,
    ) -> Result<Self, Failure> {
        let options = ServeOptions::from_text(options).inspect_err(|_| contract.retire(Kind::Http))?;
        contract_runtime::ensure()?;
        let options = ServeOptions { only, ..options };
        let prepared = options
            .check_choice()
            .and_then(|()| {
                if let Some(TransportName::Plugin(_)) = options.transport {
                    let message = "variants are not supported for the transports of plugins";
                    return Err(ArgumentError::new(OPTIONS, message).for_argument("transport"));
                }
                options.server(contract)
            })
            .and_then(|prepared| Ok((prepared, resolve_list(options.variants.as_ref(), contract, call_site)?)));
        let prepared = prepared.map_err(|error| error.in_operation("variants"));
        let (prepared, settings) = prepared.inspect_err(|_| contract.retire(Kind::Http))?;
        let claimed = match &options.only {
            Some(only) => contract.claim(Selection::Only(only)),
            None if options.all.unwrap_or(false) => contract.claim(Selection::All(Kind::Http)),
            None => contract.claim(Selection::New(Kind::Http)),
        };
        let claimed = claimed.map_err(|error| error.in_operation("variants"))?;
        let (claimed, interactions, _) = ready(contract, claimed, prepared.clone())?;
        // Retired until all tests have passed.
        contract.finish(&claimed, |_| false);
        let mut list = vec![ListedVariant {
            name: "example".to_owned(),
            kind: None,
            place: String::new(),
            interaction: String::new(),
            rule: String::new(),
            value: String::new(),
        }];
        let (mut parts, mut tests) = (Vec::new(), Vec::new());
        if let Some(settings) = settings {
            let run = VariantRun::new(answers(&interactions), &settings, Duration::ZERO, None)
                .map_err(|error| error.in_operation("variants"))?;
            for (part, variant, listed) in run.listed() {
                list.push(listed);
                tests.push((part, variant));
            }
            parts.extend(run.parts.into_iter().map(|part| Part {
                index: part.index,
                description: part.description,
                variants: part.variants,
            }));
        }
        Ok(Self {
            contract: contract.clone(),
            claimed,
            interactions,
            options,
            prepared,
            results: Arc::new(SuiteResults::new(list.len())),
            parts,
            list,
            tests,
        })
    }

    /// Returns the example, followed by the variants, in the order of the tests.
    pub fn list(&self) -> &[ListedVariant] {
        &self.list
    }

    /// Returns the responses that the test with this number, starting with 0, can receive: the response with its
    /// variant or, for the example, the responses of all interactions.
    pub fn answers(&self, number: usize) -> Vec<ServedAnswer> {
        match self.varied(number) {
            Some((part, variant)) => {
                let name = self.list.get(number).map(|listed| listed.name.clone());
                vec![served(&part.variants.answer(&[variant]), &part.description, name)]
            }
            None => answers(&self.interactions)
                .map(|(_, description, answer)| served(&answer, &description, None))
                .collect(),
        }
    }

    /// Returns the interaction and the variant of a test. Returns `None` for the example.
    fn varied(&self, number: usize) -> Option<(&Part, usize)> {
        let (part, variant) = self.tests.get(number.checked_sub(1)?)?;
        Some((self.parts.get(*part)?, *variant))
    }

    /// Starts the server for the test with this number, starting with 0.
    pub async fn serve(&self, number: usize, call_site: &CallSite) -> Result<MockSession, Failure> {
        let varied = self.varied(number);
        let interactions = match varied {
            Some((part, variant)) => {
                varied_interactions(&self.interactions, part.index, part.variants.answer(&[variant]))
            }
            None => self.interactions.clone(),
        };
        let server = MockServer::start_prepared(Prepared::new(interactions, self.prepared.clone())?).await?;
        let backend = Backend::Http(server);
        let writer = call_site.writer()?;
        let mut session = session(
            &self.contract,
            backend,
            self.claimed.clone(),
            &self.options,
            call_site,
            writer,
        )?;
        let variant = varied.and_then(|(part, variant)| {
            let name = self.list.get(number)?.name.clone();
            Some((
                name,
                part.description.clone(),
                part.variants.list().get(variant)?.clone(),
            ))
        });
        let test = SuiteTest {
            results: Arc::clone(&self.results),
            number,
            variant,
        };
        let header_case = varied.and_then(|(part, variant)| part.variants.header_case(&[variant]));
        session.join_suite(test, header_case);
        Ok(session)
    }
}
