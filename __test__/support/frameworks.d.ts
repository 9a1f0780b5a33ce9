// These frameworks have no types, and the tests need none.
declare module 'express'
declare module 'koa'
