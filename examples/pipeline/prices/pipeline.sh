#!/bin/sh
# The pipeline of a provider. The broker is named by CONTRACT_BROKER_BASE_URL and opened by CONTRACT_BROKER_TOKEN, or by
# CONTRACT_BROKER_USERNAME and CONTRACT_BROKER_PASSWORD.
set -eu

version=${VERSION:-$(git rev-parse HEAD)}
branch=${BRANCH:-$(git rev-parse --abbrev-ref HEAD)}

# The broker knows this version, even when nobody needs anything of it yet.
npx contract-broker create-or-update-version --pacticipant prices --version "$version" --branch "$branch"

# The tests verify what the broker says is to be verified, and publish the results for this version.
VERSION="$version" BRANCH="$branch" npm test

# Not if a consumer in production needs what this version does not give.
npx contract-broker can-i-deploy --pacticipant prices --version "$version" --to-environment production

npm run deploy
npx contract-broker record-deployment --pacticipant prices --version "$version" --environment production
