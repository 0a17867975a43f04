"""Texts of several lines that only look as if they held a secret."""

from __future__ import annotations

BLOCKS = {
    "csv": "id,name,token_count\n1,robin,1532\n2,sam,88\n",
    "csv of hashes": "file,sha256\na.txt,«~hex64»\n",
    "table": "| field | type |\n|---|---|\n| password | varchar2 |\n| token | text |\n",
    "table of settings": "| Setting | Default |\n|---|---|\n| password | none |\n| min_password_length | 12 |\n",
    "config map": "kind: ConfigMap\ndata:\n  mode: production2\n  level: «~a20»\n",
    "lock": "[[package]]\nname = 'a'\nchecksum = \"«~hex64»\"\n",
    "public key": "-----BEGIN PUBLIC KEY-----\n«~b48»\n«~b48»\n-----END PUBLIC KEY-----\n",
    "certificate": "-----BEGIN CERTIFICATE-----\n«~b48»\n«~b48»\n-----END CERTIFICATE-----\n",
    "prompt": "Password:\nLogin incorrect\n",
    "prompt with time": "Enter your password:\n2026-11-29 10:00:01 connected\n",
    "heading": "Password:\n\n- at least 12 characters\n- 1 digit\n",
    "heading, code": "Token\n-----\n\nSee `auth2.py`.\n",
    "next line": "the password is\nstored in the vault2\n",
    "schema": "password:\n  type: string\n  minLength: 12\n",
    "openapi": "token:\n  description: JWT2\n  example: string\n",
    "terraform": 'variable "db_password" {\n  type      = string\n  sensitive = true\n}',
    "terraform default": 'variable "region" {\n  default = "eu-central-1"\n}',
    "html form": '<label>Password</label>\n<input type="password" id="pw2" autocomplete="current-password">\n',
    "workflow": "env:\n  TOKEN: ${{ secrets.TOKEN2 }}\nsteps:\n  - uses: actions/checkout@v4\n",
    "docstring": '"""Log in.\n\n:param password: the password, 8 to 64 characters\n:returns: token2\n"""',
    "go struct": 'type User struct {\n\tPassword string `json:"password,omitempty"`\n\tToken2 string `json:"-"`\n}',
    "java": '@Column(name = "password_v2")\nprivate String password;\n',
    "jsx": "<TextField2\n  label='Password'\n  value={password}\n/>",
    "psql": " id | name  | has_password \n----+-------+--------------\n  1 | robin | t2\n(1 row)\n",
    "chat": "sam: what's the password policy?\nrobin: see docs/policy2.md\n",
    "traceback": 'File "/app/auth2.py", line 42, in check_password\n    raise InvalidToken("x")\n',
    "gitignore": ".env\n*.pem\nsecrets2.yaml\n",
    "json schema": '{\n  "password": {\n    "type": "string",\n    "description": "8-64 characters"\n  }\n}',
}
