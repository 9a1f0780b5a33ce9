#!/bin/sh
# The pipeline of a consumer. The broker is named by CONTRACT_BROKER_BASE_URL and opened by CONTRACT_BROKER_TOKEN, or by
# CONTRACT_BROKER_USERNAME and CONTRACT_BROKER_PASSWORD.
set -eu

version=${VERSION:-$(git rev-parse HEAD)}
branch=${BRANCH:-$(git rev-parse --abbrev-ref HEAD)}
seconds=${SECONDS_BETWEEN:-20}

# The tests write what this version needs into contracts/.
npm test
npx contract-broker publish contracts --consumer-app-version "$version" --branch "$branch"

# Only yes goes on. Unknown means that the provider has not verified this contract yet: ask again, for half an hour.
npx contract-broker can-i-deploy --pacticipant web --version "$version" --to-environment production --retry-while-unknown 90 --retry-interval "$seconds"

npm run deploy
npx contract-broker record-deployment --pacticipant web --version "$version" --environment production
