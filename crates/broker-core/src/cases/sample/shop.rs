//! Defines the sample applications and their versions.

use super::{HOUR, MINUTE};

/// Each consumer with its providers.
pub(super) const INTEGRATIONS: &[(&str, &[&str])] = &[
    ("storefront-web", &["storefront-bff", "auth"]),
    ("mobile-app", &["mobile-bff", "auth"]),
    ("store-pos", &["checkout", "inventory", "auth"]),
    ("back-office", &["orders", "customers", "catalog", "auth"]),
    ("partner-portal", &["marketplace-api", "auth"]),
    (
        "storefront-bff",
        &[
            "catalog",
            "cart",
            "checkout",
            "search",
            "recommendations",
            "reviews",
            "wishlist",
            "pricing",
        ],
    ),
    ("mobile-bff", &["catalog", "cart", "checkout", "search", "promotions"]),
    ("marketplace-api", &["orders", "catalog", "supplier-gateway"]),
    ("cart", &["pricing", "catalog", "promotions"]),
    (
        "checkout",
        &[
            "orders",
            "payments",
            "shipping",
            "loyalty",
            "gift-cards",
            "fraud-check",
            "tax",
            "addresses",
        ],
    ),
    ("returns", &["orders", "payments", "shipping"]),
    ("subscriptions", &["orders", "payments", "customers"]),
    ("wishlist", &["catalog", "customers"]),
    ("recommendations", &["catalog", "orders"]),
    ("pickup", &["orders", "inventory", "notifications"]),
    ("reviews", &["customers", "media"]),
    (
        "orders",
        &["payments", "inventory", "invoicing", "notifications", "audit-log"],
    ),
    ("search", &["catalog"]),
    ("loyalty", &["customers"]),
    ("promotions", &["catalog"]),
    ("customers", &["addresses", "notifications"]),
    ("fraud-check", &["customers"]),
    ("shipping", &["warehouse", "addresses"]),
    ("payments", &["currency", "audit-log"]),
    ("catalog", &["media"]),
    ("pricing", &["currency", "tax"]),
    ("inventory", &["warehouse"]),
    ("invoicing", &["tax", "email-sender"]),
    ("notifications", &["email-sender", "sms-sender"]),
    ("supplier-gateway", &["inventory"]),
];

/// One of the two versions of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Release {
    Older,
    Newer,
}

pub(super) struct Application {
    pub(super) name: &'static str,
    /// The position of the application in [`applications`], from 0.
    pub(super) number: u8,
}

/// Whether an application of the shop has this name.
pub(super) fn is_name(name: &str) -> bool {
    let mut integrations = INTEGRATIONS.iter();
    integrations.any(|(consumer, providers)| *consumer == name || providers.contains(&name))
}

/// Returns all applications in the order in which [`INTEGRATIONS`] mentions them first.
pub(super) fn applications() -> Vec<Application> {
    let mut names: Vec<&'static str> = Vec::new();
    for (consumer, providers) in INTEGRATIONS {
        for name in std::iter::once(consumer).chain(*providers) {
            if !names.contains(name) {
                names.push(name);
            }
        }
    }
    let numbered = (0..).zip(names);
    numbered.map(|(number, name)| Application { name, number }).collect()
}

impl Application {
    pub(super) fn version(&self, release: Release) -> String {
        let versions = match self.name {
            "checkout" => ["4.11.3", "4.12.0"],
            "payments" => ["7.3.1", "7.4.0"],
            "orders" => ["9.13.2", "9.14.0"],
            "returns" => ["3.1.4", "3.2.0"],
            "loyalty" => ["2.7.9", "2.8.0"],
            "catalog" => ["11.2.4", "11.3.0"],
            "customers" => ["5c1f0a9d2b6e4870", "ec8df7d4e83e5a11"],
            "supplier-gateway" => ["0.3.0", "0.4.0"],
            _ => {
                let (major, minor) = (1 + self.number % 7, self.name.len());
                return format!("{major}.{minor}.{}", u8::from(release == Release::Newer));
            }
        };
        versions[usize::from(release == Release::Newer)].to_owned()
    }

    /// Returns the age of a version in milliseconds.
    pub(super) fn age(&self, release: Release) -> i64 {
        let number = i64::from(self.number);
        let newer = match self.name {
            "checkout" => 52 * MINUTE,
            "payments" => 3 * HOUR,
            "orders" => 5 * HOUR,
            "returns" => 7 * HOUR,
            _ => 4 * HOUR + number * 109 * MINUTE % (4 * 24 * HOUR),
        };
        match release {
            Release::Newer => newer,
            Release::Older => newer + (6 + number % 5) * 24 * HOUR,
        }
    }

    pub(super) fn team(&self) -> Option<&'static str> {
        match self.name {
            "checkout" | "cart" => Some("checkout"),
            "payments" | "currency" => Some("payments"),
            "orders" | "returns" | "shipping" => Some("fulfillment"),
            "loyalty" => Some("loyalty"),
            "catalog" | "search" => Some("catalog"),
            _ => None,
        }
    }

    /// Returns whether the newer version runs only in staging.
    pub(super) fn is_ahead(&self) -> bool {
        matches!(
            self.name,
            "checkout" | "payments" | "catalog" | "search" | "mobile-bff" | "loyalty"
        )
    }

    /// Returns whether any version runs in an environment: 0 is staging, and 1 is production.
    pub(super) fn is_deployed(&self, environment: usize) -> bool {
        match self.name {
            "supplier-gateway" => false,
            "recommendations" => environment == 0,
            _ => true,
        }
    }
}
