#!/bin/sh
# The pipeline of a consumer. CONTRACT_BROKER_BASE_URL is the URL of the broker. The credentials are
# CONTRACT_BROKER_TOKEN, or CONTRACT_BROKER_USERNAME and CONTRACT_BROKER_PASSWORD.
set -eu

version=${VERSION:-$(git rev-parse HEAD)}
branch=${BRANCH:-$(git rev-parse --abbrev-ref HEAD)}
seconds=${SECONDS_BETWEEN:-20}

# The tests write the contracts of this version to contracts/.
npm test
npx contract-broker publish contracts --consumer-app-version "$version" --branch "$branch"

# Continues only if the version can be deployed. While the verdict is unknown, because the provider has not verified this contract yet,
# the command retries for half an hour.
npx contract-broker can-i-deploy --pacticipant web --version "$version" --to-environment production --retry-while-unknown 90 --retry-interval "$seconds"

npm run deploy
npx contract-broker record-deployment --pacticipant web --version "$version" --environment production
