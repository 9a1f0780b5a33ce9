#!/bin/sh
# The pipeline of a provider. CONTRACT_BROKER_BASE_URL is the URL of the broker. The credentials are
# CONTRACT_BROKER_TOKEN, or CONTRACT_BROKER_USERNAME and CONTRACT_BROKER_PASSWORD.
set -eu

version=${VERSION:-$(git rev-parse HEAD)}
branch=${BRANCH:-$(git rev-parse --abbrev-ref HEAD)}

# Creates this version in the broker, even if it has no consumers yet.
npx contract-broker create-or-update-version --pacticipant prices --version "$version" --branch "$branch"

# The tests verify the contracts that the broker selects, and publish the results for this version.
VERSION="$version" BRANCH="$branch" npm test

# Stops if this version breaks the contract of a consumer in production.
npx contract-broker can-i-deploy --pacticipant prices --version "$version" --to-environment production

npm run deploy
npx contract-broker record-deployment --pacticipant prices --version "$version" --environment production
