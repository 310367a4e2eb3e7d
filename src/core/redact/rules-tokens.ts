import { isRandomish, isStandIn } from './plausible.ts';
import { matches, type Rule } from './rule.ts';

/**
 * Tokens that name their issuer by a fixed prefix or shape. Written from the issuers' public documentation and from what
 * secret scanners agree on. Lengths are lower bounds somewhat below the real ones, since text often holds cut tokens.
 */

/**
 * type, anchors, pattern, least number of characters behind an anchor where that is not 10. `weak` prefixes also occur in
 * names and need a body that looks random.
 */
type Row = readonly [type: string, anchors: string, pattern: RegExp, weak?: 'weak' | '', run?: number];

// No word boundary in front of distinctive prefixes: a token may follow an escape such as %3D or a colour code.
export const TOKEN_ROWS: readonly Row[] = [
  ['aws-access-key', 'AKIA ASIA ABIA ACCA', /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g],
  ['aws-bedrock-key', 'ABSK', /ABSK[A-Za-z0-9+/]{90,}={0,2}/g],
  ['github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', /gh[pousr]_[A-Za-z0-9_]{16,}/g],
  ['github-token', 'github_pat_', /github_pat_[A-Za-z0-9_]{16,}/g],
  [
    'gitlab-token',
    'glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glimt- glagent- glffct- gloas- GR1348941',
    /gl(?:pat|dt|rtr?|cbt|ptt|ft|soat|imt|agent|ffct|oas)-[\w.-]{16,}|GR1348941[\w-]{16,}/g,
  ],
  ['bitbucket-token', 'ATBB', /ATBB[A-Za-z0-9]{24,}/g, 'weak'],
  ['atlassian-token', 'ATATT3 ATCTT3', /AT[AC]TT3[\w=.-]{24,}/g],
  [
    'slack-token',
    'xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxe- xoxe. xapp- xoxc- xoxd-',
    /(?:xox[abceoprsd]-|xoxe\.xox[bp]-|xapp-)[\w.%-]{10,}/g,
  ],
  [
    'slack-webhook',
    'hooks.slack.com hooks.slack-gov',
    /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/[\w/+-]{16,}/g,
  ],
  ['discord-webhook', 'webhooks', /discord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{32,}/g],
  [
    'discord-token',
    'discord Discord DISCORD',
    /(?<![\w-])[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])/g,
    'weak',
    0,
  ],
  [
    'teams-webhook',
    'webhook.office.com',
    /webhook\.office\.com\/webhookb2\/[\w@-]{30,}\/IncomingWebhook\/[\w/-]{30,}/g,
  ],
  ['telegram-token', ':AA', /(?<![A-Za-z0-9])\d{8,10}:AA[\w-]{32,}/g, '', 32],
  [
    'stripe-key',
    'sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_',
    /[sr]k_(?:live|test|prod)_[A-Za-z0-9_]{10,}/g,
  ],
  ['stripe-webhook-secret', 'whsec_', /whsec_[A-Za-z0-9+/=_-]{20,}/g],
  ['anthropic-key', 'sk-ant-', /sk-ant-[\w-]{12,}/g],
  [
    'openai-key',
    'sk-',
    /(?<![A-Za-z0-9])sk-(?!ant-)(?:proj-|svcacct-|admin-|service-|None-|or-v1-|lf-)?[\w-]{16,}/g,
    'weak',
    16,
  ],
  ['google-api-key', 'AIza', /AIza[\w-]{30,39}(?![\w-])/g],
  ['google-oauth-token', 'ya29.', /ya29\.[\w-]{16,}/g],
  ['google-oauth-secret', 'GOCSPX-', /GOCSPX-[\w-]{16,}/g],
  ['azure-key', 'AccountKey= SharedAccessKey=', /(?:AccountKey|SharedAccessKey)=(?<secret>[A-Za-z0-9+/]{30,}={0,2})/g],
  ['azure-sas', 'sig=', /[?&;]sig=(?<secret>[A-Za-z0-9%+/]{40,}={0,2})/g, '', 40],
  [
    'azure-client-secret',
    '0Q~ 1Q~ 2Q~ 3Q~ 4Q~ 5Q~ 6Q~ 7Q~ 8Q~ 9Q~',
    /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{30,34}(?![\w~-])/g,
  ],
  ['npm-token', 'npm_', /npm_[A-Za-z0-9]{30,}/g, '', 30],
  ['pypi-token', 'pypi-AgE', /pypi-AgE[\w-]{40,}/g],
  ['rubygems-token', 'rubygems_', /rubygems_[a-f0-9]{40,}/g],
  ['nuget-key', 'nuget NuGet NUGET', /(?<![A-Za-z0-9])oy2[a-z0-9]{43}(?![A-Za-z0-9])/g, 'weak', 0],
  ['clojars-token', 'CLOJARS_', /CLOJARS_[a-z0-9]{50,}/g],
  ['docker-token', 'dckr_pat_ dckr_oat_', /dckr_[po]at_[\w-]{20,}/g],
  [
    'artifactory-token',
    'AKCp cmVmd',
    /(?<![A-Za-z0-9+/])(?:AKCp[A-Za-z0-9]{60,}|cmVmd[A-Za-z0-9]{55,})(?![A-Za-z0-9+/])/g,
    'weak',
  ],
  ['sendgrid-key', 'SG.', /(?<![A-Za-z0-9])SG\.[\w-]{16,32}\.[\w-]{30,64}/g, '', 40],
  ['sendinblue-key', 'xkeysib-', /xkeysib-[a-f0-9]{40,}(?:-[\w]{10,})?/g],
  ['mailgun-key', 'key-', /(?<![A-Za-z0-9])key-[a-f0-9]{32}(?![A-Za-z0-9])/g, '', 32],
  ['mailchimp-key', '-us', /(?<![A-Za-z0-9])[a-f0-9]{32}-us\d{1,2}(?!\d)/g, '', 0],
  ['resend-key', 're_', /(?<![A-Za-z0-9_])re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}/g, 'weak', 29],
  // Two letters and hex alone would be too little.
  ['twilio-key', 'twilio Twilio TWILIO', /(?<![A-Za-z0-9])SK[0-9a-f][0-9a-z]{31,32}(?![A-Za-z0-9])/g, 'weak', 0],
  ['huggingface-token', 'hf_', /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}/g, 'weak', 30],
  ['replicate-token', 'r8_', /(?<![A-Za-z0-9])r8_[A-Za-z0-9]{30,}/g, 'weak', 30],
  ['groq-key', 'gsk_', /gsk_[A-Za-z0-9]{40,}/g],
  ['perplexity-key', 'pplx-', /pplx-[A-Za-z0-9]{32,}/g],
  ['xai-key', 'xai-', /xai-[A-Za-z0-9]{40,}/g],
  ['tavily-key', 'tvly-', /tvly-[\w-]{20,}/g],
  ['langsmith-key', 'lsv2_', /lsv2_(?:pt|sk)_[a-f0-9]{24,}(?:_[a-f0-9]{8,})?/g],
  ['elevenlabs-key', 'sk_', /(?<![A-Za-z0-9])sk_[a-f0-9]{40,}(?![A-Za-z0-9])/g, '', 40],
  ['digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', /do[opr]_v1_[a-f0-9]{40,}/g],
  ['shopify-token', 'shpat_ shpca_ shppa_ shpss_', /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{30,}/g],
  ['linear-key', 'lin_api_ lin_oauth_', /lin_(?:api|oauth)_[A-Za-z0-9]{30,}/g],
  [
    'notion-token',
    'ntn_ secret_',
    /(?<![A-Za-z0-9_])(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43})(?![A-Za-z0-9])/g,
    'weak',
  ],
  ['airtable-token', 'airtable Airtable AIRTABLE', /(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[a-f0-9]{60,}/g, '', 0],
  ['figma-token', 'figd_', /figd_[\w-]{36,}/g],
  ['postman-key', 'PMAK-', /PMAK-[a-f0-9]{24}-[a-f0-9]{30,}/g],
  ['databricks-token', 'dapi', /(?<![A-Za-z0-9])dapi[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])/g, '', 32],
  ['doppler-token', 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', /dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{36,}/g],
  ['vault-token', 'hvs. hvb. hvr.', /hv[sbr]\.[\w-]{20,}/g, 'weak'],
  ['terraform-token', '.atlasv1.', /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,}/g],
  ['pulumi-token', 'pul-', /(?<![A-Za-z0-9])pul-[a-f0-9]{40}(?![A-Za-z0-9])/g, '', 40],
  ['planetscale-token', 'pscale_', /pscale_(?:tkn|pw|oauth)_[\w.=-]{30,}/g],
  ['supabase-token', 'sbp_ sb_secret_', /sbp_[a-f0-9]{36,}|sb_secret_[\w-]{20,}/g],
  ['netlify-token', 'nfp_ nfc_ nfo_ nfb_', /(?<![A-Za-z0-9])nf[pcob]_[A-Za-z0-9]{36,}/g, 'weak'],
  ['vercel-token', 'vercel_blob_rw_ vcp_', /vercel_blob_rw_[\w]{30,}|(?<![A-Za-z0-9])vcp_[A-Za-z0-9]{30,}/g, 'weak'],
  ['cloudflare-origin-key', 'v1.0-', /(?<![A-Za-z0-9.])v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}/g],
  [
    'flyio-token',
    'fo1_ fm2_ fm1a_ fm1r_',
    /(?<![A-Za-z0-9])(?:fo1_[\w-]{40,}|fm(?:2|1[ar])_[A-Za-z0-9+/=_,-]{50,})/g,
    'weak',
  ],
  ['heroku-key', 'HRKU-', /HRKU-[\w-]{30,}/g],
  ['tailscale-key', 'tskey-', /tskey-[a-z]+-[A-Za-z0-9-]{20,}/g, 'weak'],
  ['grafana-token', 'glc_ glsa_', /(?<![A-Za-z0-9])gl(?:c|sa)_[A-Za-z0-9+/_=]{30,}/g, 'weak'],
  ['newrelic-key', 'NRAK- NRJS- NRII- NRRA- NRAL- NRAA-', /NR(?:AK|JS|II|RA|AL|AA)-[A-Za-z0-9-]{19,}/g],
  ['dynatrace-token', 'dt0c01. dt0s01. dt0s16.', /dt0(?:c01|s01|s16)\.[A-Z0-9]{20,}\.[A-Z0-9]{50,}/g],
  ['sentry-token', 'sntrys_ sntryu_', /sntry[su]_[\w=+/]{36,}/g],
  ['sonar-token', 'squ_ sqp_ sqa_', /(?<![A-Za-z0-9])sq[upa]_[a-f0-9]{36,}/g],
  ['buildkite-token', 'bkua_ bkaj_', /bk(?:ua|aj)_[a-f0-9]{36,}/g],
  ['circleci-token', 'CCIPAT_ CCIPRJ_', /CCIP(?:AT|RJ)_[A-Za-z0-9]{16,}_[a-f0-9]{32,}/g],
  ['onepassword-token', 'ops_eyJ', /ops_eyJ[A-Za-z0-9+/=_-]{100,}/g],
  [
    'square-token',
    'sq0atp- sq0csp- EAAA',
    /sq0(?:atp|csp)-[\w-]{20,}|(?<![A-Za-z0-9+/])EAAA[\w-]{56,60}(?![\w+/-])/g,
    'weak',
  ],
  ['facebook-token', 'EAAM EAAC', /(?<![A-Za-z0-9+/])EAA[MC][A-Za-z0-9]{60,}(?![A-Za-z0-9+/])/g, 'weak'],
  [
    'plaid-token',
    'access-sandbox- access-development- access-production-',
    /access-(?:sandbox|development|production)-[a-f0-9-]{32,}/g,
  ],
  ['flutterwave-key', 'FLWSECK', /FLWSECK(?:_TEST)?-[a-f0-9]{28,}(?:-X)?/g],
  ['easypost-key', 'EZAK EZTK', /(?<![A-Za-z0-9])EZ[AT]K[A-Za-z0-9]{50,}/g, 'weak'],
  ['shippo-token', 'shippo_', /shippo_(?:live|test)_[a-f0-9]{36,}/g],
  ['contentful-token', 'CFPAT-', /CFPAT-[\w-]{36,}/g],
  ['typeform-token', 'tfp_', /(?<![A-Za-z0-9])tfp_[\w.=-]{40,}/g, 'weak'],
  ['posthog-key', 'phx_', /(?<![A-Za-z0-9])phx_[A-Za-z0-9]{36,}/g, 'weak'],
  ['readme-key', 'rdme_', /rdme_[a-z0-9]{50,}/g],
  ['prefect-key', 'pnu_', /(?<![A-Za-z0-9])pnu_[a-zA-Z0-9]{32,}/g, 'weak'],
  ['mapbox-token', 'sk.eyJ', /(?<![A-Za-z0-9])sk\.eyJ[\w-]{40,}\.[\w-]{16,}/g],
  ['age-key', 'AGE-SECRET-KEY-', /AGE-SECRET-KEY-1[A-Z0-9]{40,}/g],
  ['jwt', 'eyJ', /(?<![A-Za-z0-9])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g, '', 29],
];

export const TOKEN_RULES: readonly Rule[] = TOKEN_ROWS.map(([type, anchors, pattern, weak, run = 10]) => {
  const accept = weak !== 'weak' ? (value: string) => !isStandIn(value) : isRandomish;
  return {
    type,
    tier: 'definite',
    anchors: anchors.split(' '),
    context: 'token',
    run,
    find: (text) => matches(pattern, text, accept),
  };
});
