// The part of Mock Service Worker that `contract/msw` uses. It is an optional peer dependency that is not installed in this
// repository. The emitted declarations refer to the user's version.
declare module 'msw' {
  export class HttpHandler {
    readonly info: { readonly header: string }
  }

  export class HttpResponse extends Response {}

  export const http: {
    all(
      predicate: (args: {
        readonly request: Request
        readonly cookies: Readonly<Record<string, string>>
      }) => Promise<{ readonly matches: boolean; readonly params: never }>,
      resolver: (args: { readonly params: object }) => Response,
    ): HttpHandler
  }
}
