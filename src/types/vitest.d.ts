// The part of Vitest 3 to 5 that the adapter uses. Vitest is an optional peer dependency that is not installed in this
// repository. The emitted declarations refer to the user's version.
declare module 'vitest' {
  export interface TestError {
    readonly name?: string
    readonly message: string
    readonly [key: string]: unknown
  }

  export interface TestTask {
    readonly type: string
    readonly name: string
    readonly mode: string
    readonly timeout: number
    readonly suite?: TestTask
    readonly filepath?: string
    readonly file: TestTask & { readonly filepath: string }
    readonly tasks?: readonly TestTask[]
    readonly result?: { readonly state?: string; readonly errors?: TestError[]; readonly pending?: boolean }
  }

  export interface TestContext {
    readonly task: TestTask
    onTestFinished(hook: () => unknown): void
  }

  export interface TestAPI<Extra = object> {
    (name: string, body: (context: TestContext & Extra) => unknown): void
    extend<More extends object>(fixtures: object): TestAPI<Extra & More>
  }

  export const test: TestAPI
  export function afterAll(hook: () => unknown): void
  export function inject(key: string): unknown
  export const expect: {
    // biome-ignore lint/suspicious/noExplicitAny: samples in the documentation call the assertions of Vitest
    (value: unknown): any
    extend(matchers: object): void
    getState(): { readonly testPath?: string; readonly currentTestName?: string }
  }
}
