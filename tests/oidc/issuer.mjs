// A real issuer of tokens on loopback: panva's oidc-provider, certified for OpenID Connect. Its access tokens are JWTs
// (RFC 9068) for the audience `parley`, signed with jose.
//
//   node issuer.mjs     prints {"issuer": URL}; ends with its standard input
//
// Clients: `machine`, whose secret is `machine-secret`, by its credentials; `console`, a public one, by authorization code
// with PKCE. Whoever signs in is whatever name is typed, with any password; `boss` has the role `boss`.
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

const algs = ['RS256', 'ES256', 'EdDSA']
const keys = []
for (const alg of algs) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  keys.push({ ...(await exportJWK(privateKey)), alg, use: 'sig', kid: alg })
}

const server = createServer()
await new Promise((listens) => server.listen(0, '127.0.0.1', listens))
const issuer = `http://127.0.0.1:${server.address().port}`
const provider = new Provider(issuer, {
  jwks: { keys },
  clients: [
    { client_id: 'machine', client_secret: 'machine-secret', grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
    {
      client_id: 'console',
      application_type: 'native', // any port of loopback (RFC 8252, 7.3)
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      redirect_uris: ['http://127.0.0.1/console/'],
    },
  ],
  cookies: { keys: ['tests'] },
  clientBasedCORS: () => true,
  extraTokenClaims: (_, token) => ({ roles: [token.accountId ?? token.clientId], email: `${token.accountId ?? token.clientId}@example.com` }),
  features: {
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => 'urn:parley:RS256',
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource) => ({
        scope: 'openid',
        audience: 'parley',
        accessTokenTTL: 600,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: resource.split(':').pop() } },
      }),
    },
  },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
})
server.on('request', provider.callback())
process.stdin.resume().on('end', () => process.exit())
console.log(JSON.stringify({ issuer }))
