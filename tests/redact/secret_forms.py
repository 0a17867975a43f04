"""How people and programs write secrets down: forms with marks that `secret_rows` fills, one a line."""

from __future__ import annotations

from collections.abc import Iterator

LINES = r"""
# environment files and shells
DB_PASSWORD=«pw»
MAIL_PASS="«pwq»"
export API_TOKEN=«a32»
export SMTP_PASSWORD='«pw»'; ./run
JWT_SECRET=«b32»
SESSION_SECRET=«hex64»
ENCRYPTION_KEY=«b32»
STRIPE_WEBHOOK_SECRET=«a32»
declare -x REDIS_PASSWORD="«pw»"
set -x GITLAB_TOKEN «a20»
$ PGPASSWORD=«pw» psql -h «~host» -U «~user» shop
MYSQL_PWD=«pw» mysqldump shop
env DJANGO_SECRET_KEY='«a50»' python manage.py check
docker run -e POSTGRES_PASSWORD=«pw» -d postgres:16
docker run --env MYSQL_ROOT_PASSWORD=«pw» mysql
podman run -e "RABBITMQ_DEFAULT_PASS=«pw»" rabbitmq
docker build --build-arg NPM_TOKEN=«a36» .
heroku config:set SECRET_KEY=«a40» -a shop
fly secrets set DATABASE_PASSWORD=«pw»
gh secret set DEPLOY_TOKEN --body «a40»
kubectl create secret generic db --from-literal=password=«pw»
kubectl create secret generic db --from-literal='api-key=«a32»' -n prod
helm upgrade shop ./chart --set auth.password=«pw»,auth.user=app
helm install pg bitnami/postgresql --set global.postgresql.auth.postgresPassword=«pw»
terraform apply -var="db_password=«pw»"
TF_VAR_admin_password='«pw»' terraform plan
ansible-playbook site.yml -e "ansible_become_pass=«pw»"
aws configure set aws_secret_access_key «b30»
az login --service-principal -u «~user» -p «a34» --tenant «~uuid»
az storage account list --account-key «b64»
gcloud sql users set-password root --password=«pw»
vault kv put secret/db password=«pw»
vault write auth/userpass/users/robin password="«pw»"
consul kv put app/db_password «pw»
npm config set //registry.npmjs.org/:_authToken «a36»
docker login -u «~user» -p «pw» registry.globex.io
echo «pw» | docker login --password-stdin -u «~user»
echo '«pw»' | sudo -S apt-get update
sshpass -p '«pw»' ssh «~user»@«~host»
curl -u «~user»:«pw» https://«~host»/api
curl --user "«~user»:«pw»" -X POST https://«~host»/v1
curl -H "Authorization: Bearer «a40»" https://«~host»
curl -H 'X-Api-Key: «a32»' https://«~host»
curl -H "X-Auth-Token:«a32»" https://«~host»
curl -d '{"username":"robin","password":"«pw»"}' https://«~host»/login
curl -d 'grant_type=password&username=robin&password=«a14»' https://«~host»/token
curl --data-urlencode "client_secret=«a32»" https://«~host»/token
wget --http-password=«pw» --http-user=robin https://«~host»/x.tgz
wget --password «pw» https://«~host»/x.tgz
http -a «~user»:«pw» GET https://«~host»/me
mysql -u root -p«pw» shop
mysql --user=root --password=«pw» shop
mongosh -u root -p «pw» --authenticationDatabase admin
redis-cli -h «~host» -a «pw» PING
psql "host=«~host» user=app password=«pw» dbname=shop"
ldapsearch -x -D cn=admin,dc=globex -w «pw» -b dc=globex
smbclient //files/share -U robin%«pw»
openssl pkcs12 -in a.p12 -passin pass:«pw» -nodes
openssl enc -aes-256-cbc -k «pw» -in a -out b
keytool -storepass «pw» -keystore a.jks -list
7z x -p«pw» backup.7z
unzip -P «pw» backup.zip
zip -P «pw» out.zip a b
gpg --batch --passphrase «pw» -d a.gpg
restic --repo s3:x --password-command 'echo «pw»' backup
mosquitto_pub -h «~host» -u dev -P «pw» -t a -m b
sqlcmd -S «~host» -U sa -P «pw» -Q "select 1"
sqlplus system/«a12»@«~host»:1521/ORCL
rabbitmqctl add_user robin «pw»
htpasswd -b .htpasswd robin «pw»
useradd -m robin && echo "robin:«pw»" | chpasswd
net use Z: \\files\share /user:robin «pw»
net user robin «pw» /add
setx API_KEY «a32»
set DB_PASSWORD=«pw»
$env:GITHUB_TOKEN = "«a40»"
$env:DB_PASSWORD='«pw»'
$password = ConvertTo-SecureString "«pw»" -AsPlainText -Force
New-LocalUser robin -Password (ConvertTo-SecureString '«pw»' -AsPlainText -Force)
$cred = New-Object System.Net.NetworkCredential("robin", "«pw»")
cmdkey /add:«~host» /user:robin /pass:«pw»
wifi: nmcli dev wifi connect Globex password «pw»
nmcli con modify Globex wifi-sec.psk «pw»
WIFI:T:WPA;S:Globex-Guest;P:«pw»;;
git clone https://robin:«a30»@git.«~host»/a/b.git
git remote set-url origin https://oauth2:«a26»@gitlab.globex.io/a/b.git
git -c http.extraheader="AUTHORIZATION: basic «pair»" fetch
pip install --index-url https://__token__:«a40»@pypi.globex.io/simple x
twine upload -u __token__ -p «a40» dist/*
cargo login «a32»
npm login --auth-type=legacy --password=«pw»
snowsql -a globex -u robin --password «pw»
influx config create --token «b64» --host-url http://«~host»:8086
ngrok config add-authtoken «a49»
tailscale up --authkey=«a40»
wg set wg0 private-key <(echo «b32»)
sops --encrypt --age-secret «a40» x.yaml
  512  export DATADOG_API_KEY=«hex32»
: 1732900000:0;export NEW_RELIC_LICENSE_KEY=«hex40»
robin@box:~$ export SENTRY_AUTH_TOKEN=«hex64»
PS C:\> $Env:AZURE_CLIENT_SECRET="«a40»"
C:\app> set STORAGE_ACCESS_KEY=«b64»
# addresses
postgres://«~user»:«url»@«~host»/shop
postgresql+asyncpg://«~user»:«pw»@«~host»:5432/shop
DATABASE_URL=mysql://«~user»:«url»@«~host»:3306/shop?charset=utf8
mongodb+srv://«~user»:«a18»@cluster0.ab1cd.mongodb.net/?retryWrites=true
redis://:«pw»@«~host»:6379/0
rediss://default:«a24»@«~host»:6380
amqp://«~user»:«a14»@«~host»:5672/%2f
smtp://robin%40globex.io:«pw»@smtp.«~host»:587
ftp://«~user»:«pw»@«~host»/pub
sftp://«~user»:«url»@«~host»/srv
http://«~user»:«pw»@proxy.globex.io:3128
https_proxy=http://«~user»:«url»@proxy.globex.io:3128
ldap://cn=admin:«pw»@«~host»
elasticsearch: https://elastic:«a24»@«~host»:9200
clickhouse://default:«a16»@«~host»:9000/logs
imap://robin:«pw»@«~host»
jdbc:postgresql://«~host»/shop?user=app&password=«a14»
jdbc:sqlserver://«~host»:1433;databaseName=shop;user=sa;password=«pw»;encrypt=true
jdbc:oracle:thin:app/«a12»@«~host»:1521:ORCL
jdbc:mysql://app:«pw»@«~host»:3306/shop
Server=«~host»;Database=shop;User Id=sa;Password=«pw»;Encrypt=True
Data Source=«~host»;Initial Catalog=shop;UID=sa;PWD=«pw»;
"Default": "Server=«~host»;User ID=app;Password=«pw»;Pooling=true"
Driver={ODBC Driver 18 for SQL Server};Server=«~host»;Uid=app;Pwd={«pw»};
DefaultEndpointsProtocol=https;AccountName=globex;AccountKey=«b64»;EndpointSuffix=core.windows.net
Endpoint=sb://globex.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=«b32»
HostName=globex.azure-devices.net;DeviceId=d1;SharedAccessKey=«b32»
https://globex.blob.core.windows.net/c/f?sv=2022-11-02&se=2026-12-01&sr=b&sp=r&sig=«b32»
https://s3.amazonaws.com/b/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=«hex64»
https://«~host»/hook?token=«a32»
https://«~host»/v1/weather?q=Rome&appid=«hex32»
https://«~host»/maps?key=«a39»&v=3
wss://«~host»/socket?access_token=«jwt»
https://«~host»/callback#access_token=«a40»&token_type=bearer
https://«~host»/reset-password?reset_token=«a40»
dsn: app:«pw»@tcp(«~host»:3306)/shop?parseTime=true
"app:«pw»@tcp(127.0.0.1:3306)/shop"
otpauth://totp/Globex:robin?secret=«up32»&issuer=Globex
# headers, cookies
Authorization: Bearer «a48»
Authorization: Basic «pair»
authorization: token «a40»
Proxy-Authorization: Basic «pair»
> Authorization: Bearer «jwt»
X-Api-Key: «a32»
X-Vault-Token: «a26»
X-Amz-Security-Token: «b90»
X-CSRF-Token: «b32»
PRIVATE-TOKEN: «a20»
Ocp-Apim-Subscription-Key: «hex32»
apikey: «a40»
Cookie: sessionid=«a32»; theme=dark
Set-Cookie: auth_token=«a40»; Path=/; HttpOnly
< Set-Cookie: JSESSIONID=«hex32»; Secure
"Cookie": "connect.sid=s%3A«a32».«a43»"
"headers": {"Authorization": "Bearer «a40»", "Accept": "*/*"}
headers = {'X-API-KEY': '«a32»'}
req.Header.Set("Authorization", "Bearer «a40»")
req.Header.Add("X-Api-Key", "«a32»")
xhr.setRequestHeader('X-Auth-Token', '«a32»');
.header("apikey", "«a32»")
# JSON
{"user": "robin", "password": "«pwq»"}
{"client_id": "shop", "client_secret": "«a40»"}
{"access_token":"«a60»","expires_in":3600,"refresh_token":"«a40»"}
{"auths": {"registry.globex.io": {"auth": "«pair»"}}}
{"accessKeyId": "x", "secretAccessKey": "«b30»"}
{"key": "DB_PASSWORD", "value": "«pw»"}
[{"name": "API_TOKEN", "value": "«a32»"}]
{"db": {"credentials": {"username": "app", "password": "«pw»"}}}
{\"password\": \"«pw»\", \"port\": 5432}
{\"apiKey\": \"«a32»\"}
{"body": "{\"token\": \"«a32»\"}"}
{"bot_token": "«a40»", "signing_secret": "«hex32»"}
{"type": "oauth", "secret": "«a32»"}
'password': '«pw»',
"db_pass" : "«pw»"
# YAML, TOML, INI, properties
password: «pw»
db_password: "«pwq»"
  secretKey: «a40»
api_token: '«a40»'
- name: ADMIN_PASSWORD
- SMTP_PASSWORD=«pw»
spring.datasource.password=«pw»
jwt.secret = «a40»
smtp.password: «pw»
passwd = «pw»
secret_key = "«a50»"
_authToken=«a36»
//npm.globex.io/:_authToken=«a36»
//npm.globex.io/:_password="«pair»"
_auth = «pair»
requirepass «pw»
masterauth «pw»
signing.keyPassword=«pw»
storePassword=«pw»
systemProp.http.proxyPassword=«pw»
ansible_ssh_pass=«pw»
node1 ansible_host=10.0.0.4 ansible_user=root ansible_password=«pw»
client-key-data: «b240»
token: «a60»
  admin_password  = "«pw»"
snmp-server community «a12» RO
variable_api_key = "«a32»"
PSK = "«pw»"
psk="«pw»"
PrivateKey = «b32»
PresharedKey = «b32»
private_key_passphrase: «pw»
encryption.key=«b32»
hmac_secret=«hex64»
# code
password = "«pwq»"
db_password: str = "«pw»"
const apiKey = "«a32»";
let password: string = '«pw»';
var dbPass = `«pw»`;
String password = "«pw»";
private static final String API_SECRET = "«a32»";
public const string ConnectionPassword = "«pw»";
password := "«pw»"
var secretKey = []byte("«a32»")
let token = String::from("«a40»");
const TOKEN: &str = "«a40»";
$password = '«pw»';
define('DB_PASSWORD', '«pw»');
$config['db_password'] = "«pw»";
'password' => '«pw»',
:password => "«pw»",
password: '«pw»',
ENV['API_TOKEN'] = '«a32»'
os.environ["API_SECRET"] = "«a32»"
os.Setenv("DB_PASSWORD", "«pw»")
process.env.API_KEY = "«a32»";
System.setProperty("db.password", "«pw»");
setPassword("«pw»");
user.password = "«pw»"
conn = connect(host="db", user="app", password="«pw»")
client = Client(api_key="«a32»")
new Client({ apiKey: '«a32»', region: 'eu' })
requests.get(url, auth=("robin", "«pw»"))
session.auth = ('robin', '«pw»')
DriverManager.getConnection(url, "app", "«pw»");
login("robin", "«pw»")
await page.fill("#password", "«pw»")
cy.get('input[name=password]').type('«pw»')
driver.find_element(By.ID, "password").send_keys("«pw»")
password="«pw»" if debug else None
API_KEY = os.getenv("API_KEY", "«a32»")
token = os.environ.get("TOKEN") or "«a40»"
const secret = process.env.SECRET || '«a32»';
@Value("${db.password:«a14»}")
app.config["SECRET_KEY"] = "«a32»"
app.secret_key = b'«a24»'
#define WIFI_PASSWORD "«pw»"
static NSString *const kApiKey = @"«a32»";
let secretKey = "«a32»"
passwords = ["«pw»", "«pw»"]
val apiKey by lazy { "«a32»" }
buildConfigField "String", "API_KEY", "\"«a32»\""
# SQL
CREATE USER app WITH PASSWORD '«pw»';
ALTER ROLE app WITH LOGIN PASSWORD '«pw»';
CREATE USER 'app'@'%' IDENTIFIED BY '«pw»';
GRANT ALL ON *.* TO 'app'@'%' IDENTIFIED BY "«pw»";
ALTER USER app IDENTIFIED BY "«pw»";
CREATE LOGIN app WITH PASSWORD = '«pw»';
SET PASSWORD FOR 'app'@'%' = PASSWORD('«pw»');
INSERT INTO users (name, password) VALUES ('robin', '«pw»');
UPDATE users SET password='«pw»' WHERE id=1;
UPDATE settings SET api_token = '«a32»' WHERE id = 3;
SELECT * FROM users WHERE name='robin' AND password='«pw»';
CREATE USER MAPPING FOR app SERVER s OPTIONS (user 'app', password '«pw»');
# XML, HTML
<password>«pw»</password>
<Password>«pw»</Password><Port>1</Port>
<add key="ApiKey" value="«a32»" />
<property name="password" value="«pw»"/>
<property name="connection.password">«pw»</property>
<input type="password" name="pw" value="«pw»">
<db user="app" password="«pw»"/>
<user username="admin" password='«pw»' roles="manager-gui"/>
<entry key="smtp.password">«pw»</entry>
<clientSecret>«a40»</clientSecret>
<string name="api_key">«a32»</string>
&lt;password&gt;«pw»&lt;/password&gt;
<meta name="csrf-token" content="«b32»">
<wsse:Password Type="x#PasswordText">«pw»</wsse:Password>
# prose
the password is «pw»
The password for the admin account is «pw».
password: «pw» (change it later)
My password is "«pw»", please use it
use «pw» as the password
«pw» is the password for staging
log in as robin with password «pw»
log in with robin / «pw»
username: robin, password: «pw»
user robin pass «pw»
credentials: robin / «pw»
credentials are robin:«pw»
login: robin:«pw»
the api key is «a32»
here is my token: «a40»
my openai key: «a40»
set the secret to «a32»
the admin pw is «pw»
passphrase is «phrase»
root password = «pw»
Password (prod): «pw»
**Password:** `«pw»`
| password | «pw» |
| API key | `«a32»` |
Password：«pw»
密码：«pw»
密码是 «pw»
密碼: «pw»
パスワード：«pw»
パスワードは「«pw»」です
비밀번호: «pw»
пароль: «pw»
Пароль от базы: «pw»
Passwort: «pw»
das Passwort lautet «pw»
Kennwort = «pw»
mot de passe : «pw»
le mot de passe est «pw»
contraseña: «pw»
la contraseña es «pw»
senha: «pw»
a senha é «pw»
wachtwoord: «pw»
hasło: «pw»
heslo: «pw»
şifre: «pw»
lösenord: «pw»
adgangskode: «pw»
salasana: «pw»
parola: «pw»
mật khẩu: «pw»
रहस्य password «pw»
كلمة المرور: «pw»
סיסמה: «pw»
the password was changed from «pw» to «pw»
temporary password (expires today) «pw»
your one-time token is «a24»
PIN: pin_code=«pin6»
sudo password → «pw»
pw=«pw»
pass: «pw»
PASS «pw»
AUTH «a20»
220 ftp ready; USER robin; PASS «pw»
# logs
ERROR login failed for robin with password '«pw»'
DEBUG connecting with user=app password=«pw» host=«~host»
2026-11-29 10:00:00 INFO token=«a40» refreshed
panic: dial error: dsn "app:«pw»@tcp(db:3306)/shop"
sqlalchemy.exc.OperationalError: (password=«pw»)
Traceback: connect(host='db', password='«pw»', port=5432)
psycopg2.OperationalError: connection to "postgresql://app:«pw»@db/shop" failed
{"level":"debug","msg":"auth","api_key":"«a32»"}
level=debug msg="auth" secret=«a32» user=robin
request headers: {authorization: 'Bearer «a40»'}
params: {"email"=>"robin", "password"=>"«pw»"}
Config(user='app', password='«pw»', ssl=True)
Config{User:app Password:«pw» Host:db}
User { name: "robin", password: "«pw»" }
map[password:«pw» user:app]
E       assert login('robin', '«pw»') is True
+ PGPASSWORD=«pw»
++ export DB_PASSWORD=«pw»
-e MYSQL_PASSWORD=«pw» -p 3306:3306
# files by their form
machine «~host» login robin password «pw»
default login robin password «pw»
«~host»:5432:shop:app:«pw»
*:*:*:app:«pw»
root:$6$«a8»$«a43»«a43»:19000:0:99999:7:::
robin:$2y$10$«a53»
robin:$apr1$«a8»$«a22»
robin:{SHA}«b20»
https://robin:«a40»@github.com
[client] password=«pw»
aws_secret_access_key = «b30»
aws_session_token=«b150»
password_hash = bcrypt("«pw»")
hash = bcrypt.hashpw(b"«pw»", salt)
"private_key": "-----BEGIN PRIVATE KEY-----\n«pem»\n«pem»\n-----END PRIVATE KEY-----\n"
"""

BLOCKS: dict[str, str] = {
    "file k8s": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  username: YXBw\n  password: «b12»\n"
    "  url: «b40»\n",
    "file k8s string data": "kind: Secret\nstringData:\n  anything: «pw»\n  other: «a20»\n",
    "file k8s env": "env:\n- name: DB_PASSWORD\n  value: «pw»\n- name: PORT\n  value: '80'",
    "file compose": "services:\n  db:\n    environment:\n      POSTGRES_USER: app\n      POSTGRES_PASSWORD: «pw»\n",
    "file netrc": "machine «~host»\n  login robin\n  password «pw»\n",
    "file maven": "<server>\n  <id>globex</id>\n  <username>robin</username>\n  <password>«pw»</password>\n</server>",
    "file pypirc": "[pypi]\nusername = __token__\npassword = «a60»\n",
    "file aws": "[default]\naws_access_key_id = x\naws_secret_access_key = «b30»\n",
    "file ppk": "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n«pem»\nPrivate-MAC: «hex64»\n",
    "file pem": "-----BEGIN RSA PRIVATE KEY-----\n«pem»\n«pem»\n«pem»\n-----END RSA PRIVATE KEY-----\n",
    "file pem cut": "-----BEGIN OPENSSH PRIVATE KEY-----\n«pem»\n«pem»\n",
    "file pem tail": "«pem»\n«pem»\n-----END PRIVATE KEY-----\n",
    "file pgp": "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n«pem»\n«pem»\n=aB3d\n"
    "-----END PGP PRIVATE KEY BLOCK-----",
    "file kubeconfig": "users:\n- name: admin\n  user:\n    client-key-data: «b120»\n    token: «a40»\n",
    "file csv": "id,name,password,role\n1,robin,«pw»,admin\n2,sam,«pw»,user\n",
    "file csv tabs": "name\tpassword\trole\nrobin\t«pw»\tadmin\n",
    "file csv semicolons": "name;password;role\nrobin;«pw»;admin\n",
    "file table": "| user | password |\n|------|----------|\n| robin | «pw» |\n| sam | «pw» |\n",
    "file psql": " id | name  | password \n----+-------+----------\n  1 | robin | «pw»\n(1 row)\n",
    "prompted": "Password:\n«pw»\nLogin incorrect",
    "next line": "the password is\n«pw»\n",
    "next line, quoted": "Here is the token:\n\n    «a40»\n",
    "next line, fenced": "the api key:\n```\n«a32»\n```\n",
    "folded yaml": "password: >-\n  «pw»\nport: 1\n",
    "literal yaml": "api_key: |\n  «a40»\nport: 1\n",
    "continued": "docker run \\\n  -e DB_PASSWORD=«pw» \\\n  -p 80:80 app",
    "flag on the next line": "mysql --user root \\\n  --password \\\n  «pw»",
    "plist": "<key>ApiToken</key>\n<string>«a32»</string>",
    "terraform": 'variable "db_password" {\n  type    = string\n  default = "«pw»"\n}',
    "terraform resource": 'resource "aws_db_instance" "a" {\n  username = "app"\n  password = "«pw»"\n}',
    "github actions": "env:\n  API_TOKEN: «a40»\nsteps:\n  - run: make",
    "gradle": 'signingConfigs {\n  release {\n    storePassword "«pw»"\n    keyPassword "«pw»"\n  }\n}',
    "wpa": 'network={\n  ssid="Globex"\n  psk="«pw»"\n}',
    "wireguard": "[Interface]\nPrivateKey = «b32»\nAddress = 10.0.0.2/24",
    "ini": "[database]\nuser = app\npassword = «pw»\nhost = db\n",
    "toml": '[auth]\nclient_secret = "«a40»"\n',
    "rails": "production:\n  secret_key_base: «hex128»\n  adapter: pg\n",
    "gcp": '{\n  "type": "service_account",\n  "private_key_id": "«~hex40»",\n  "private_key": '
    '"-----BEGIN PRIVATE KEY-----\\n«pem»\\n«pem»\\n-----END PRIVATE KEY-----\\n"\n}',
    "mail": "Subject: access\n\nHi,\nuser: robin\npass: «pw»\n\nBye",
    "chat": "sam: what's the db password?\nrobin: «pw»\n",
    "smtp session": "EHLO x\nAUTH LOGIN\n334 VXNlcm5hbWU6\ncm9iaW4=\n334 UGFzc3dvcmQ6\n«b12»\n235 ok",
    "ftp session": "USER robin\n331 Please specify the password.\nPASS «pw»\n230 ok",
    "expect": 'expect "password:"\nsend "«pw»\\r"',
    "java builder": 'new Builder()\n    .user("app")\n    .password("«pw»")\n    .build();',
    "env of a process": "PATH=/usr/bin\0DB_PASSWORD=«pw»\0HOME=/root",
    "html form": '<form>\n<label>Password</label>\n<input id="password" value="«pw»">\n</form>',
}


def all_forms() -> Iterator[tuple[str, str]]:
    """Every form with a name of its own."""
    for line in LINES.strip().split("\n"):
        if not line.startswith("# "):
            yield line[:60], line
    yield from BLOCKS.items()
