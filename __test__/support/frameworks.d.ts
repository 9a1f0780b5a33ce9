// They come without types, and the tests need none: what they make is handed on.
declare module 'express'
declare module 'koa'
