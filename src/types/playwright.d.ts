// The part of Playwright that the adapter uses. Playwright is an optional peer dependency that is not installed in this
// repository. The emitted declarations refer to the user's version.
declare module '@playwright/test' {
  export interface TestInfoError {
    readonly message?: string
    readonly stack?: string
  }

  export interface TestInfo {
    readonly titlePath: readonly string[]
    readonly file: string
    readonly timeout: number
    readonly status?: 'passed' | 'failed' | 'timedOut' | 'skipped' | 'interrupted'
    readonly errors: TestInfoError[]
    attach(name: string, options: { readonly body: string; readonly contentType: string }): Promise<void>
  }

  export interface Request {
    url(): string
    method(): string
    headersArray(): Promise<{ readonly name: string; readonly value: string }[]>
    postDataBuffer(): Buffer | null
    resourceType(): string
  }

  export interface Response {
    request(): Request
    status(): number
    headersArray(): Promise<{ readonly name: string; readonly value: string }[]>
    body(): Promise<Buffer>
  }

  export interface Route {
    request(): Request
    fetch(options: { readonly url: string; readonly maxRedirects: number }): Promise<object>
    fulfill(
      options:
        | { readonly response: object }
        | { readonly status: number; readonly headers: Record<string, string>; readonly body: Buffer },
    ): Promise<void>
    fallback(): Promise<void>
  }

  export interface BrowserContext {
    route(matches: (url: URL) => boolean, handler: (route: Route) => Promise<void>): Promise<unknown>
    unroute(matches: (url: URL) => boolean, handler: (route: Route) => Promise<void>): Promise<unknown>
    on(event: 'request', listener: (request: Request) => void): unknown
    on(event: 'response', listener: (response: Response) => void): unknown
    off(event: 'request', listener: (request: Request) => void): unknown
    off(event: 'response', listener: (response: Response) => void): unknown
  }

  export interface Page extends BrowserContext {
    url(): string
  }

  export interface PlaywrightTestArgs {
    readonly context: BrowserContext
  }
  export interface PlaywrightTestOptions {
    readonly baseURL: string | undefined
  }
  export interface PlaywrightWorkerArgs {
    readonly browser: unknown
  }
  export interface PlaywrightWorkerOptions {
    readonly browserName: string
  }

  export interface TestType<TestArgs extends object, WorkerArgs extends object> {
    (title: string, body: (args: TestArgs & WorkerArgs, info: TestInfo) => unknown): void
    describe(title: string, body: () => void): void
    afterAll(body: (args: WorkerArgs, info: TestInfo) => unknown): void
    info(): TestInfo
    extend<T extends object>(fixtures: object): TestType<TestArgs & T, WorkerArgs>
  }

  export const test: TestType<
    PlaywrightTestArgs & PlaywrightTestOptions,
    PlaywrightWorkerArgs & PlaywrightWorkerOptions
  >
}
