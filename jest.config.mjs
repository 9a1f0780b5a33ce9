// Tests import 'contract', which Node resolves to this package by its exports: they run what is published, in dist/.
const project = {
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { swcrc: false, jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/__test__/support/without-npm-script.ts'],
}

export default {
  // A loaded machine may take a hundred times as long as an idle one; this only ends tests that hang. Jest reads it here only.
  testTimeout: 600_000,
  // The runner itself needs little time, so the default of one worker less leaves a core idle.
  maxWorkers: '100%',
  projects: [
    {
      ...project,
      displayName: 'contract',
      roots: ['<rootDir>/__test__'],
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: ['<rootDir>/__test__/partners/'],
    },
    {
      ...project,
      displayName: 'examples',
      roots: ['<rootDir>/examples'],
      testMatch: ['**/*.test.ts'],
    },
    {
      ...project,
      displayName: 'partners',
      roots: ['<rootDir>/__test__'],
      testMatch: ['**/__test__/partners/**/*.test.ts'],
    },
  ],
}
