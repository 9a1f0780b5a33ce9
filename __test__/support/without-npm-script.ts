// Reports name the npm script that runs an interaction again. Tests must not depend on the script that started them,
// and one of them runs the command in a report.
delete process.env.npm_lifecycle_event
