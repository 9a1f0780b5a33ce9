// Reports name the npm script that runs an interaction again. Tests must not depend on how they themselves were started, and
// one of them runs what a report says.
delete process.env.npm_lifecycle_event
