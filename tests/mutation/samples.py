"""Files made by hand, as other programs write them, with the parts of a format that our own writers do not use."""

from __future__ import annotations

from tests.formats import hostile

BIF = (
    b"""// made by hand
network "weather" { property credits "nobody" ; property version 1.0; }
variable rain { type discrete [ 2 ] { yes, no }; property position = (1, 2); }
variable wet { type discrete[3] {>=7.5 "a b" low}; }
variable one { type discrete [ 1 ] { only }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( wet | rain one ) { default 0.2, 0.3, 0.5; (yes, only) 0.1, 0.2, 0.7; /* and
the rest */ }
probability ( one | rain ) { table 1.0, 1.0; property x; }
""",
    b"network x {}\nvariable a { type discrete [2] { 0, 1 }; }\nprobability (a) { table 1e-3 9.99E-1; }\n",
)
DSC = (
    b"""belief network "weather"
node rain { name: "rain"; type : discrete [ 2 ] = { "yes", "no" }; position: (1, 2); }
node wet { type : discrete [ 3 ] = { "a", "b c", "low" }; }
probability ( rain ) { 0.2, 0.8; }
probability ( wet | rain ) { default : 0.2, 0.3, 0.5; (0) : 0.1, 0.2, 0.7; }
""",
)
NET = (
    b"""% made by hand
net { name = "weather"; node_size = (80 40); }
node rain { states = ("yes" "no"); label = "50 % of it"; position = (1 2); } % a remark
discrete node wet { states = ("a" "b c" "low"); }
potential (rain) { data = (0.2 0.8); }
potential (wet | rain) { data = (( 0.1 0.2 0.7 ) % first
 ( 0.2 0.3 0.5 )); }
""",
)
UAI = (b"BAYES\n2\n2 3\n2\n1 0\n2 0 1\n\n2\n 0.2 0.8\n\n6\n 0.1 0.2 0.7\n 0.2 0.3 0.5 # the end\n",)
XMLBIF = (
    b"""<?xml version="1.0" encoding="US-ASCII"?>
<!DOCTYPE BIF [
 <!ELEMENT BIF ( NETWORK )*> <!ATTLIST BIF VERSION CDATA #REQUIRED>
 <!ELEMENT NETWORK ( NAME, ( PROPERTY | VARIABLE | DEFINITION )* )>
]>
<BIF VERSION="0.3"><NETWORK><NAME>weather</NAME><!-- by hand -->
<VARIABLE TYPE="nature"><NAME> rain </NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME>
 <PROPERTY>position = (1,2)</PROPERTY></VARIABLE>
<VARIABLE TYPE="nature"><NAME>wet</NAME><OUTCOME>a</OUTCOME><OUTCOME>b &amp; c</OUTCOME></VARIABLE>
<DEFINITION><FOR>rain</FOR><TABLE>0.2 <!-- and --> 0.8</TABLE></DEFINITION>
<DEFINITION><FOR>wet</FOR><GIVEN>rain</GIVEN><TABLE>0.1 0.9
0.3 0.7</TABLE></DEFINITION></NETWORK></BIF>
""",
    """<?xml version="1.0" encoding="UTF-16"?><BIF><NETWORK><VARIABLE><NAME>a</NAME><OUTCOME>x</OUTCOME></VARIABLE>
<DEFINITION><FOR>a</FOR><TABLE>1</TABLE></DEFINITION></NETWORK></BIF>""".encode("utf-16"),
    b"""<?xml version="1.0" encoding="iso-8859-15"?><BIF><NETWORK>
<VARIABLE><NAME>\xe9</NAME><OUTCOME>x</OUTCOME></VARIABLE>
<DEFINITION><FOR>\xe9</FOR><TABLE>1</TABLE></DEFINITION></NETWORK></BIF>""",
)
DOT = (
    b"""strict digraph "weather" {
  rankdir=LR; node [shape=box]; edge [color="red"];
  rain [label="it \\"rains\\"", pos="1,2!"];  // a remark
  "sprinkler on" -> wet -> slippery [weight=2]
  rain -> wet; /* more */
}
""",
)
GRAPHML = (
    b"""<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
 <key id="d0" for="node" attr.name="states" attr.type="string"/>
 <key id="d1" for="node" attr.name="table" attr.type="string"/>
 <key id="d2" for="edge" attr.name="weight" attr.type="double"><default>1.5</default></key>
 <key id="d3" for="node" attr.name="rank" attr.type="int"/>
 <graph edgedefault="directed" id="G">
  <node id="a"><data key="d0">["x", "y"]</data><data key="d1">[0.5, 0.5]</data><data key="d3">4</data></node>
  <node id="b"><data key="d0">["x", "y"]</data><data key="d1">[[0.5, 0.5], [0.1, 0.9]]</data></node>
  <edge source="a" target="b"><data key="d2">3</data></edge>
 </graph>
</graphml>
""",
)
GEXF = (
    b"""<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
 <graph mode="static" defaultedgetype="directed">
  <attributes class="node"><attribute id="0" title="states" type="string"/>
   <attribute id="1" title="table" type="string"/>
   <attribute id="2" title="rank" type="integer"><default>1</default></attribute></attributes>
  <nodes>
   <node id="0" label="a"><attvalues><attvalue for="0" value="[&quot;x&quot;, &quot;y&quot;]"/>
    <attvalue for="1" value="[0.5, 0.5]"/></attvalues></node>
   <node id="1" label="b"/>
  </nodes>
  <edges><edge id="0" source="0" target="1" weight="2.0"/></edges>
 </graph>
</gexf>
""",
)
CSV = (b',a,"b ""c"""\r\na,0,1\r\n"b ""c""", 0 ,0\r\n', b"x,a\na,0\n")
JSON = (
    b'{"parents": {"a": [], "b": ["a"]}}',
    b'\xef\xbb\xbf{"variables": ["b", "a"], "parents": {"b": ["a"]}, "states": {"a": ["x"], "b": ["x", "y"]}, '
    b'"tables": {"a": [1], "b": [[0.25, 0.75]]}}',
)
JKL = (
    b"# by BLIP\n3\nblood pressure 2\n-1.5e2 1 wet\n-200 0\nwet 1\n-3 0\nlow%20one 2\n-5 0\n-4 2 blood pressure wet\n",
    b"2\na 2\n-1 0\n-0.5 1 b c\nb c 1\n-3.25 0\n",
    b"1\r\nx 1\r\n+0.0 0\r\n",
)
PSS = (
    b"""META pss_version = 0.1
META input_file=weather.csv
META num_records=500
META parent_limit=4
META score_type=BDeu
META ess=1.0

VAR blood pressure
META arity=3
META values=low normal high
-20.5 wet
-30

# a remark
VAR wet
META arity=2
-14.25 blood pressure
-15
VAR META
META arity=2
-1 blood pressure,wet
-2
""",
)
KNOWLEDGE = (
    b"""# by hand
required        = [["smoking", "cancer"], "asbestos -> cancer"]
forbidden       = ["cancer -> smoking"]
forbidden_pairs = [["xray", "dyspnoea"]]
tiers           = [["age", "sex"], ["smoking"], ["cancer"]]
roots           = ["age"]
leaves          = ["xray"]
[max_parents]
cancer = 3
""",
    b"allowed = []\nmax_parents = {a = 0}",
)

XML_WORDS = (
    hostile.LAUGHS, b"&j;", b'<?xml version="1.0" encoding="UTF-7"?>', b'encoding="rot13"', b'encoding="idna"',
    b'encoding="utf-32"', b'encoding="no-such"', b'encoding="shift_jis"', b'encoding="EBCDIC-CP-US"', b"<![CDATA[",
    b"</a>", b'<!DOCTYPE a SYSTEM "file:///etc/hostname">',
    b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
)  # fmt: skip
