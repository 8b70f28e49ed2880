// jose's word on tokens: reads {issuer, audience, jwks, tokens} and prints a list, true for each that it accepts.
import { createLocalJWKSet, jwtVerify } from 'jose'

let text = ''
for await (const piece of process.stdin) text += piece
const { issuer, audience, jwks, tokens } = JSON.parse(text)
const keys = createLocalJWKSet(jwks)
const verdicts = tokens.map((t) => jwtVerify(t, keys, { issuer, audience }).then(() => true, () => false))
console.log(JSON.stringify(await Promise.all(verdicts)))
