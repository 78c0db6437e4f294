//! Families of distributions: how a response spreads around its mean, for losses that are likelihoods.
//!
//! A response with mean $\mu(\eta)$ has variance $\phi V(\mu)$. The expected information of one observation about its linear predictor is
//! $(d\mu/d\eta)^2 / V(\mu)$, divided by the dispersion $\phi$, which is 1 or has to be estimated.

use super::logistic::sigmoid;

/// The distribution that a loss is the likelihood of, with the link that the loss has.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Family {
    /// $V = 1$ with an unknown dispersion, the variance; identity link.
    Normal,
    /// $V = \mu(1 - \mu)$, logit link.
    Binomial,
    /// $V = \mu$, log link.
    Poisson,
    /// $V = \mu^2$ with an unknown dispersion, log link.
    Gamma,
    /// $V = \mu^p$ with an unknown dispersion, log link.
    Tweedie {
        /// $p$
        power: f64,
    },
    /// $V = \mu + \alpha\mu^2$, log link.
    NegativeBinomial {
        /// $\alpha$
        alpha: f64,
    },
}

impl Family {
    /// One or two words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Binomial => "binomial",
            Self::Poisson => "Poisson",
            Self::Gamma => "gamma",
            Self::Tweedie { .. } => "Tweedie",
            Self::NegativeBinomial { .. } => "negative binomial",
        }
    }

    /// Whether the dispersion is unknown.
    pub fn has_dispersion(self) -> bool {
        matches!(self, Self::Normal | Self::Gamma | Self::Tweedie { .. })
    }

    /// $(d\mu/d\eta)^2 / V(\mu)$
    pub fn information(self, predictor: f64) -> f64 {
        match self {
            Self::Normal | Self::Gamma => 1.0,
            Self::Binomial => sigmoid(predictor) * sigmoid(-predictor),
            Self::Poisson => predictor.exp(),
            Self::Tweedie { power } => ((2.0 - power) * predictor).exp(),
            // μ/(1 + αμ), with neither of the two too large.
            Self::NegativeBinomial { alpha } => 1.0 / ((-predictor).exp() + alpha),
        }
    }

    /// $(y - \mu)^2 / V(\mu)$, whose mean is the dispersion.
    pub fn pearson(self, predictor: f64, response: f64) -> f64 {
        let scaled = |mean: f64, deviation: f64| (response - mean) / deviation;
        let root = match self {
            Self::Normal => response - predictor,
            Self::Binomial => scaled(sigmoid(predictor), (sigmoid(predictor) * sigmoid(-predictor)).sqrt()),
            Self::Poisson => scaled(predictor.exp(), (0.5 * predictor).exp()),
            Self::Gamma => scaled(predictor.exp(), predictor.exp()),
            Self::Tweedie { power } => scaled(predictor.exp(), (0.5 * power * predictor).exp()),
            Self::NegativeBinomial { alpha } => {
                let mean = predictor.exp();
                scaled(mean, (mean * (1.0 + alpha * mean)).sqrt())
            }
        };
        root * root
    }
}

#[cfg(test)]
mod tests {
    use crate::loss::{Gamma, Logistic, Loss, NegativeBinomial, Poisson, Squared, Tweedie};

    /// The expected information is the curvature of the loss where the response is its mean, for all of these families.
    #[test]
    fn the_information_is_the_curvature_at_the_mean() {
        let losses: [Box<dyn Loss>; 6] = [
            Box::new(Squared),
            Box::new(Logistic),
            Box::new(Poisson),
            Box::new(Gamma),
            Box::new(Tweedie::with_power(1.3).unwrap()),
            Box::new(NegativeBinomial::with_alpha(0.7).unwrap()),
        ];
        for loss in losses {
            let family = loss.family().unwrap();
            for eta in [-1.5, 0.2, 2.0] {
                let mean = loss.mean(eta);
                let (found, expected) = (family.information(eta), loss.curvature(eta, mean));
                assert!((found / expected - 1.0).abs() < 1e-12, "{family:?} {found} {expected}");
                // By definition, with the slope of the mean by differences.
                let slope = (loss.mean(eta + 1e-6) - loss.mean(eta - 1e-6)) / 2e-6;
                let variance = (mean + 0.3 - mean).powi(2) / family.pearson(eta, mean + 0.3);
                assert!((slope * slope / variance / found - 1.0).abs() < 1e-8, "{family:?} at {eta}");
            }
        }
    }
}
