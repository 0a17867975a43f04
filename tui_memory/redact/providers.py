"""Provider formats as data: a literal to look for, what follows it, and the kind's name.

A rule only runs where its literal stands in the text. Minimum lengths are low on purpose: a token cut off by a
log is still most of a token. Known example values and runs of one character are left alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tui_memory.light import NamedTuple
from tui_memory.redact.spans import wordset

A = "[A-Za-z0-9]"
W = "[A-Za-z0-9_]"
D = "[A-Za-z0-9_-]"
H = "[0-9a-fA-F]"
U = f"{H}{{8}}-{H}{{4}}-{H}{{4}}-{H}{{4}}-{H}{{12}}"


class Format(NamedTuple):
    """One family: the literal that gates it, the pattern from the literal on, the kind, characters before."""

    literal: str
    pattern: str
    kind: str
    back: str = ""


def _each(literals: str, pattern: str, kind: str) -> list[Format]:
    return [Format(lit, pattern, kind) for lit in literals.split()]


FORMATS: tuple[Format, ...] = (
    # Code hosting and CI
    Format("ghs_", rf"\d{{2,12}}_eyJ[\w-]{{8,}}(?:\.[\w-]{{4,}}){{0,2}}|{A}{{16,255}}", "github-token"),
    *_each("ghp_ gho_ ghu_ ghr_", rf"{A}{{12,255}}", "github-token"),
    Format("github_pat_", rf"{W}{{20,255}}", "github-token"),
    *_each(
        "glpat- glrt- gldt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-",
        r"[\w-]{10,300}(?:\.[\w-]{2,})*",
        "gitlab-token",
    ),
    Format("GR1348941", rf"{D}{{16,60}}", "gitlab-token"),
    Format("_gitlab_session=", r"[0-9a-f]{32}", "session"),
    Format("ATBB", rf"{A}{{24,40}}", "bitbucket-token"),
    Format("ATCTT3xFfG", r"[\w=-]{20,250}", "bitbucket-token"),
    Format("ATATT3xFfG", r"[\w=-]{20,250}", "atlassian-token"),
    Format("CCIPAT_", rf"{A}{{8,40}}_{H}{{20,64}}", "circleci-token"),
    Format("CCIPRJ_", rf"{A}{{8,40}}_{H}{{20,64}}", "circleci-token"),
    Format("bkua_", rf"{H}{{30,64}}", "buildkite-token"),
    Format("bkat_", rf"{A}{{30,80}}", "buildkite-token"),
    Format("drn_", rf"{A}{{30,80}}", "ci-token"),
    Format("sgp_", rf"(?:local_|{H}{{16}}_)?{H}{{40}}", "sourcegraph-token"),
    *_each("sqp_ squ_ sqa_", rf"{H}{{30,40}}", "sonar-token"),
    Format("vercel_blob_rw_", rf"{W}{{20,80}}", "vercel-token"),
    *_each("vcp_ vci_ vca_ vcr_ vck_", rf"{A}{{24,80}}", "vercel-token"),
    *_each("nfp_ nfc_ nfu_ nfb_ nfo_", rf"{A}{{30,60}}", "netlify-token"),
    Format("sntrys_", r"eyJ[\w+/=-]{20,400}", "sentry-token"),
    Format("sntryu_", rf"{H}{{40,64}}", "sentry-token"),
    Format("sntrya_", rf"{H}{{40,64}}", "sentry-token"),
    Format("rnd_", rf"{A}{{24,60}}", "render-key"),
    Format("fo1_", r"[\w-]{30,80}", "fly-token"),
    *_each("fm1r_ fm1a_ fm2_", r"[\w+/=-]{30,2000}", "fly-token"),
    Format("railway_", rf"{A}{{24,60}}", "railway-token"),
    # Package registries
    Format("npm_", rf"{A}{{20,60}}", "npm-token"),
    Format("NpmToken.", U, "npm-token"),
    Format("pypi-", r"AgE[\w-]{16,400}", "pypi-token"),
    Format("rubygems_", rf"{H}{{32,64}}", "rubygems-key"),
    Format("oy2", r"[a-z0-9]{43}(?![a-z0-9])", "nuget-key"),
    Format("cio", rf"{A}{{32}}(?!{A})", "crates-token"),
    Format("dckr_pat_", r"[\w-]{16,60}", "docker-token"),
    Format("dckr_oat_", r"[\w-]{16,60}", "docker-token"),
    Format("CLOJARS_", rf"{A}{{50,64}}", "clojars-token"),
    Format("AKCp", rf"{A}{{30,80}}", "artifactory-key"),
    Format("cmVmd", rf"GtuO{A}{{30,80}}", "artifactory-key"),
    Format("hexpm_", rf"{A}{{24,60}}", "hex-token"),
    Format("pul-", rf"{H}{{40}}", "pulumi-token"),
    # Models
    Format("sk-ant-", r"[a-z]{3,8}\d{2}-[\w-]{16,200}", "anthropic-key"),
    *_each("sk-proj- sk-svcacct- sk-admin- sk-None-", r"[\w-]{16,220}", "openai-key"),
    Format("sk-or-v1-", rf"{H}{{30,64}}", "openrouter-key"),
    Format("sk-lf-", U, "langfuse-key"),
    Format("sk-", rf"(?:{A}{{10,30}}T3BlbkFJ{A}{{8,40}}|{H}{{32,64}}|{A}{{40,60}})", "openai-key"),
    Format("gsk_", rf"{A}{{30,80}}", "groq-key"),
    Format("xai-", rf"{A}{{40,100}}", "xai-key"),
    Format("pplx-", rf"{A}{{30,80}}", "perplexity-key"),
    Format("r8_", rf"{A}{{30,50}}", "replicate-token"),
    Format("hf_", rf"{A}{{24,60}}", "huggingface-token"),
    Format("api_org_", rf"{A}{{30,50}}", "huggingface-token"),
    Format("nvapi-", r"[\w-]{40,90}", "nvidia-key"),
    Format("tgp_v1_", r"[\w-]{30,60}", "together-key"),
    Format("fw_", rf"{A}{{22,40}}(?!{A})", "fireworks-key"),
    Format("csk-", rf"{A}{{40,60}}", "cerebras-key"),
    Format("pcsk_", rf"{W}{{40,90}}", "pinecone-key"),
    Format("lsv2_", rf"(?:pt|sk)_{H}{{32}}_{H}{{10}}", "langsmith-key"),
    Format("voy-", r"[\w-]{30,60}", "voyage-key"),
    Format("pa-", r"[\w-]{43}(?![\w-])", "voyage-key"),
    Format("jina_", rf"{A}{{50,80}}", "jina-key"),
    Format("tvly-", rf"(?:dev-|prod-)?{A}{{24,60}}", "tavily-key"),
    Format("fc-", rf"{H}{{32}}", "firecrawl-key"),
    # Clouds
    *_each("AKIA ASIA ABIA ACCA", r"[A-Z2-7]{16}(?![A-Za-z0-9])", "aws-access-key"),
    Format("ABSK", r"[A-Za-z0-9+/=]{60,300}", "aws-bedrock-key"),
    Format("bedrock-api-key-", r"[\w+/=-]{30,400}", "aws-bedrock-key"),
    *_each("IQoJb3JpZ2luX2Vj FwoGZXIvYXdz FQoGZXIvYXdz", r"[A-Za-z0-9+/=%]{30,2000}", "aws-session-token"),
    Format("AIza", r"[\w-]{30,39}", "google-key"),
    Format("GOCSPX-", r"[\w-]{16,40}", "google-secret"),
    Format("ya29.", r"[\w.-]{20,1200}", "google-token"),
    Format("1//0", r"[\w-]{40,120}", "google-token"),
    Format("AQ.Ab", r"[\w-]{30,60}", "google-key"),
    Format("6L", r"[a-zA-Z0-9][\w-]{5}AAAAA[\w-]{27}", "recaptcha-key"),
    Format("Q~", r"[\w.~-]{31,34}", "azure-secret", r"[A-Za-z0-9_.~-]{3}\d"),
    Format("AzCa", r"[A-Za-z0-9+/]{4,10}[A-Za-z0-9+/=]{0,6}", "azure-key", r"[A-Za-z0-9+/]{38,76}"),
    *_each("dop_v1_ doo_v1_ dor_v1_", rf"{H}{{20,64}}", "digitalocean-token"),
    Format("DO00", r"[A-Z0-9]{16}(?![A-Z0-9])", "digitalocean-key"),
    Format("LTAI", rf"{A}{{12,20}}(?!{A})", "alibaba-key"),
    Format("AKID", rf"{A}{{32}}(?!{A})", "tencent-key"),
    Format("HRKU-", rf"(?:{U}|[\w-]{{20,80}})", "heroku-key"),
    Format("dapi", rf"{H}{{24,32}}(?:-\d)?", "databricks-token"),
    Format("dose", rf"{H}{{32}}", "databricks-secret"),
    Format(".atlasv1.", r"[\w=-]{20,100}", "terraform-token", r"[A-Za-z0-9]{10,20}"),
    *_each("hvs. hvb. hvr.", r"[\w-]{20,400}", "vault-token"),
    Format("s.", rf"{A}{{24}}(?![\w.(])", "vault-token"),
    Format("scw_", rf"{A}{{24,60}}", "scaleway-key"),
    Format("SCW", r"[A-Z0-9]{17}(?![A-Z0-9])", "scaleway-key"),
    Format("ocid1.credential", r"[\w.-]{20,120}", "oracle-key"),
    Format("tskey-", r"[a-z]{3,10}-[\w-]{10,80}", "tailscale-key"),
    Format("nbp_", rf"{A}{{30,40}}", "netbird-token"),
    Format("xau_", rf"{A}{{20,60}}", "xata-key"),
    Format("v1.0-", rf"{H}{{24}}-{H}{{100,160}}", "cloudflare-key"),
    Format("cfut_", rf"{A}{{30,60}}", "cloudflare-token"),
    # Databases and storage
    Format("sbp_", rf"(?:oauth_)?{H}{{30,64}}", "supabase-token"),
    Format("sb_secret_", r"[\w-]{16,60}", "supabase-key"),
    *_each("pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.-]{24,80}", "planetscale-token"),
    Format("napi_", rf"{A}{{40,80}}", "neon-key"),
    Format("npg_", rf"{A}{{10,24}}", "neon-password"),
    Format("mdb_sa_sk_", r"[\w-]{20,60}", "mongodb-secret"),
    Format("tr:", r"[a-z0-9-]{10,}:[A-Za-z0-9]{20,}", "trino-token"),
    # Payment
    *_each("sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_", rf"{A}{{10,250}}", "stripe-key"),
    Format("whsec_", r"[A-Za-z0-9+/=]{20,80}", "webhook-secret"),
    Format("sq0atp-", r"[\w-]{20,40}", "square-token"),
    Format("sq0csp-", r"[\w-]{30,60}", "square-secret"),
    Format("EAAAE", r"[\w-]{50,80}", "square-token"),
    Format("access_token$", rf"(?:production|sandbox)\$[0-9a-z]{{16}}\${H}{{32}}", "paypal-token"),
    *_each("rzp_live_ rzp_test_", rf"{A}{{14,24}}", "razorpay-key"),
    Format("FLWSECK", rf"(?:_TEST|_LIVE)?-{A}{{12,40}}(?:-X)?", "flutterwave-key"),
    *_each("access-sandbox- access-production- access-development-", U, "plaid-token"),
    *_each("live_ test_", rf"{A}{{30}}(?!{A})", "mollie-key"),
    *_each("shippo_live_ shippo_test_", rf"{H}{{40}}", "shippo-token"),
    *_each("EZAK EZTK", rf"{A}{{54}}", "easypost-key"),
    *_each("pat_live_ lob_live_", rf"{A}{{20,80}}", "api-key"),
    *_each("shpat_ shpca_ shppa_ shpss_ shptka_ shpua_", rf"{H}{{24,40}}", "shopify-token"),
    *_each("gocardless_ live_gc_", r"[\w=-]{30,60}", "gocardless-token"),
    # Chat and mail
    *_each(
        "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxo- xoxc- xoxd- xoxe.xoxp- xoxe.xoxb-",
        r"[A-Za-z0-9%/+-]{12,400}",
        "slack-token",
    ),
    Format("xapp-", r"\d-[A-Z0-9]{6,20}-\d{6,20}-[a-z0-9]{20,80}", "slack-token"),
    Format(
        "hooks.slack.com/",
        r"(?:services|workflows|triggers)/[A-Za-z0-9]{6,16}/[A-Za-z0-9]{6,24}/[A-Za-z0-9/]{10," r"60}",
        "slack-webhook",
    ),
    Format("/api/webhooks/", r"\d{15,21}/[\w-]{40,90}", "discord-webhook"),
    Format(".webhook.office.com/", r"webhookb2/[\w@/.-]{40,300}", "teams-webhook"),
    Format("chat.googleapis.com/v1/spaces/", r"[\w-]{6,20}/messages\?[^\s\"'<>\\]{20,200}", "google-webhook"),
    Format("hooks.zapier.com/hooks/catch/", r"\d{4,12}/[a-z0-9]{5,20}", "zapier-webhook"),
    Format("SG.", r"[\w-]{16,32}\.[\w-]{16,64}", "sendgrid-key"),
    *_each("SK AC", rf"[0-9a-f]{{32}}(?!{A})", "twilio-key"),
    Format("key-", rf"{H}{{32}}(?!{A})", "mailgun-key"),
    Format("pubkey-", rf"{H}{{32}}(?!{A})", "mailgun-key"),
    Format("-us", r"\d{1,2}(?![\w-])", "mailchimp-key", rf"{H}{{32}}"),
    Format("md-", r"[\w-]{22}(?![\w-])", "mandrill-key"),
    Format("xkeysib-", rf"{H}{{40,64}}(?:-{A}{{16}})?", "brevo-key"),
    Format("xsmtpsib-", rf"{H}{{40,64}}(?:-{A}{{16}})?", "brevo-key"),
    Format("re_", rf"{A}{{6,12}}_{A}{{16,40}}", "resend-key"),
    Format("mlsn.", rf"{H}{{40,80}}", "mailersend-key"),
    Format(":AA", r"[\w-]{32,34}(?![\w-])", "telegram-token", r"\d{8,10}"),
    Format("EAA", rf"{A}{{80,300}}", "facebook-token"),
    Format("IGQV", r"[\w-]{60,250}", "instagram-token"),
    Format("AAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{60,100}(?![A-Za-z0-9+/=%])", "twitter-token"),
    # Monitoring and work tools
    Format("glsa_", rf"{A}{{24,40}}_{H}{{8}}", "grafana-token"),
    Format("glc_", r"eyJ[\w+/=-]{30,400}", "grafana-token"),
    *_each("NRAK- NRRA- NRIQ- NRJS-", r"[A-Za-z0-9]{20,40}", "newrelic-key"),
    Format("NRAL", r"[a-zA-Z0-9]{0,4}", "newrelic-key", rf"{H}{{36}}"),
    Format("FFFFNRAL", "", "newrelic-key", rf"{H}{{32}}"),
    Format("dt0c01.", r"[A-Z2-7]{24}\.[A-Z2-7]{64}", "dynatrace-token"),
    Format("dt0s", r"\d{2}\.[A-Z2-7]{8,24}\.[A-Z2-7]{64}", "dynatrace-token"),
    *_each("ddapp_ ddp_", rf"{A}{{30,60}}", "datadog-key"),
    Format("hcaik_", rf"{A}{{50,70}}", "honeycomb-key"),
    Format("phx_", rf"{A}{{40,60}}", "posthog-key"),
    Format("PMAK-", rf"{H}{{24}}-{H}{{34}}", "postman-key"),
    Format("lin_api_", rf"{A}{{30,60}}", "linear-key"),
    Format("lin_oauth_", rf"{H}{{40,80}}", "linear-key"),
    Format("secret_", rf"{A}{{43}}(?!{A})", "notion-token"),
    Format("ntn_", rf"{A}{{40,60}}", "notion-token"),
    Format("pat", rf"{A}{{14}}\.{H}{{64}}", "airtable-token"),
    Format("figd_", r"[\w-]{30,60}", "figma-token"),
    Format("figo_", r"[\w-]{30,60}", "figma-token"),
    Format("fio-u-", r"[\w=-]{40,80}", "frameio-token"),
    Format("CFPAT-", r"[\w-]{40,50}", "contentful-token"),
    Format("sl.", r"(?:u\.)?[\w-]{60,1500}", "dropbox-token"),
    *_each(
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
        r"(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{30,50}",
        "doppler-token",
    ),
    Format("ops_eyJ", r"[\w+/=-]{60,2000}", "onepassword-token"),
    Format(
        "A3-",
        r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9" r"]{5}",
        "onepassword-key",
    ),
    Format("sdk-", U, "launchdarkly-key"),
    *_each("api-", U, "launchdarkly-key"),
    Format("eyJrIjoi", r"[A-Za-z0-9+/=_-]{40,300}", "grafana-token"),
    *_each("pat-na1- pat-eu1- pat-na2-", U, "hubspot-token"),
    Format("00D", rf"{A}{{12,15}}![\w.]{{60,140}}", "salesforce-token"),
    *_each("PRIVATE-PMAK- RGAPI-", r"[\w-]{30,60}", "api-key"),
    Format("sk.eyJ", r"[\w-]{20,200}\.[\w-]{16,40}", "mapbox-token"),
    *_each("dG9rO", r"[A-Za-z0-9+/=_-]{30,80}", "intercom-token"),
    *_each("u+", rf"{A}{{18}}(?!{A})", "pagerduty-key"),
    *_each("rdme_", r"[a-z0-9]{60,80}", "readme-key"),
    *_each("prefect_ pnu_ pnb_", rf"{A}{{30,60}}", "prefect-key"),
    *_each("duffel_live_ duffel_test_", r"[\w=-]{40,50}", "duffel-token"),
    *_each("eyJzY29wZXMi", r"[\w=-]{40,600}", "token"),
    *_each(
        "ion_ apify_api_ trigger_ tr_prod_ tr_dev_ inngest_ signkey-prod- signkey-test-",
        r"[A-Za-z0-9]{24,80}",
        "api-key",
    ),
    *_each(
        "e2b_ fal_ key_live_ key_test_ api_live_ api_test_ secret_live_ secret_test_",
        r"[A-Za-z0-9]{20,120}",
        "api-key",
    ),
    # Keys that stand alone
    Format("AGE-SECRET-KEY-", r"(?:PQ-)?1[0-9A-Z]{20,90}", "private-key"),
    *_each("xprv tprv zprv yprv", rf"{A}{{80,112}}", "private-key"),
    Format("nsec1", r"[a-z0-9]{58}", "private-key"),
    *_each("SUA SOA SNA SAA", r"[A-Z2-7]{55}(?![A-Z2-7])", "nats-seed"),
    Format("otpauth://", r"[^\s\"'<>\\]{10,300}", "otp-seed"),
    Format(
        "LS0tLS1CRUdJTi",
        r"(?!BDRVJUSUZJQ0FURS|BQVUJMSUM|BUUlVTVEVEI)[A-Za-z0-9+/=\r\n]{30,20000}",
        "private-key",
    ),
    *_each(
        "MIIEpAIBAAK MIIEowIBAAK MIIEogIBAAK MIIJKQIBAAK MIIJKAIBAAK MIIJJwIBAAK MIICXAIBAAK "
        "MIICXQIBAAK MIICWwIBAAK "
        "MIIEvgIBADAN MIIEvQIBADAN MIIEvAIBADAN MIIJQgIBADAN MIIJQwIBADAN MIICdgIBADAN "
        "MIICdwIBADAN MHcCAQEE MIGHAgEAMBM "
        "MIGkAgEBBD MIG2AgEAMBAG MC4CAQAwBQYDK2Vw b3BlbnNzaC1rZXktdjE",
        r"[A-Za-z0-9+/=]{16,8000}",
        "private-key",
    ),
    Format(
        "eyJ",
        r"[\w-]{6,2000}(?:\.eyJ[\w-]{6,6000}(?:\.[\w-]{6,2000}){0,3}|\.[\w-]{0,1000}"
        r"(?:\.[\w-]{8,6000}){2,3})",
        "jwt",
    ),
    Format("amzn.", r"(?:mws|oa2-cs)\.[\w.-]{20,90}", "amazon-secret"),
)
"""Every family. A pattern may match nothing beyond the literal's own continuation; kinds are placeholders' names."""

EXAMPLES = (
    "EXAMPLE",
    "example",
    "xxxx",
    "XXXX",
    "0123456789abcdef0123",
    "1234567890abcdef1234",
    "...",
    "abcdefghijklmnop",
)
WHOLE = {
    "ghp_": 36, "gho_": 36, "ghu_": 36, "ghs_": 36, "ghr_": 36, "npm_": 36, "glpat-": 20, "AKIA": 16, "ASIA": 16,
    "AIza": 35, "hf_": 34, "dop_v1_": 64, "shpat_": 32, "dapi": 32, "sk_live_": 24, "sk_test_": 24, "rk_live_": 24,
    "sk-ant-": 101, "github_pat_": 82, "gsk_": 52, "xai-": 80, "lin_api_": 40, "rubygems_": 48, "dckr_pat_": 27,
    "SG.": 66, "glsa_": 41, "sk-or-v1-": 64, "tskey-": 30, "pypi-": 170, "figd_": 40, "NRAK-": 27, "GOCSPX-": 28,
    "hvs.": 90, "sk-proj-": 156,
}  # fmt: skip
"""Characters behind the literal in a whole token: one that is torn by a space is put together up to there."""
OFTEN_TORN = wordset("ghp_ github_pat_ npm_ glpat- AKIA AIza hf_ sk-ant- sk-proj- sk_live_ xai- shpat_ dapi")
"""Those that are looked for also where only a short piece stands before the tear."""
CONTINUED = wordset(
    "github-token anthropic-key openai-key jwt pypi-token vault-token google-token "
    "aws-session-token private-key "
    "slack-token tailscale-key supabase-key azure-secret discord-webhook slack-webhook huggingface-token "
    "gitlab-token sentry-token onepassword-token fly-token digitalocean-token terraform-token"
)
"""Kinds long enough to be wrapped by a terminal: their tail on the next line goes too."""


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """A family's pattern, compiled the first time its literal is seen: most texts need none."""
    return re.compile(pattern)
