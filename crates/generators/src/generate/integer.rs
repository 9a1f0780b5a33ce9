use contract_model::Json;

use crate::{GenerateError, Random};

/// Generates an integer from `min` to `max`, which default to 0 and 10. If only `min` is set and is above 10, `max` is
/// `min + 10`. If only `max` is set and is below 0, `min` is `max - 10`.
pub(super) fn generate(min: Option<i64>, max: Option<i64>, random: &mut Random) -> Result<Json, GenerateError> {
    let (min, max) = match (min, max) {
        (Some(min), Some(max)) => (min, max),
        (Some(min), None) if min > 10 => (min, min.saturating_add(10)),
        (None, Some(max)) if max < 0 => (max.saturating_sub(10), max),
        (min, max) => (min.unwrap_or(0), max.unwrap_or(10)),
    };
    if min > max {
        return Err(GenerateError::Bounds { min, max });
    }
    Ok(random.integer(min..=max).into())
}

#[cfg(test)]
mod tests {
    use super::generate;
    use crate::{GenerateError, Random};

    fn drawn(min: Option<i64>, max: Option<i64>) -> Vec<i64> {
        let mut random = Random::from_seed(1);
        let mut values: Vec<_> = (0..500)
            .map(|_| generate(min, max, &mut random).unwrap().as_i64().unwrap())
            .collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    #[test]
    fn generates_both_bounds() {
        assert_eq!(drawn(Some(-2), Some(2)), [-2, -1, 0, 1, 2]);
        assert_eq!(drawn(Some(i64::MAX - 1), Some(i64::MAX)), [i64::MAX - 1, i64::MAX]);
        assert_eq!(drawn(Some(5), Some(5)), [5]);
        assert!(drawn(Some(i64::MIN), Some(i64::MAX)).len() > 490);
    }

    #[test]
    fn a_missing_bound_is_chosen_to_fit() {
        let ends = |min, max| {
            let values = drawn(min, max);
            (values[0], values[values.len() - 1])
        };
        assert_eq!(ends(None, None), (0, 10));
        assert_eq!(ends(Some(3), None), (3, 10));
        assert_eq!(ends(Some(100), None), (100, 110));
        assert_eq!(ends(None, Some(20)), (0, 20));
        assert_eq!(ends(None, Some(-1)), (-11, -1));
        assert_eq!(ends(Some(i64::MAX), None), (i64::MAX, i64::MAX));
        assert_eq!(ends(None, Some(i64::MIN)), (i64::MIN, i64::MIN));
    }

    #[test]
    fn rejects_min_above_max() {
        let error = generate(Some(2), Some(1), &mut Random::from_seed(1)).unwrap_err();
        assert_eq!(error, GenerateError::Bounds { min: 2, max: 1 });
    }
}
