"""English words for each topic: things, stuff, traits, deeds and people, a line each.

The first seven things are the obvious ones, which a person would type. Words that stand under several
topics ("lens", "signal", "castle", "press") are there on purpose: they mislead whoever trusts single words.
`_` stands for a blank, `/` comes before an irregular plural.
"""

# ruff: noqa: E501 - tables of words

_TABLE = """
[lighthouses]
lighthouse lantern beacon lamp lens tower fog_signal reef headland rock gallery stairway cottage daymark lightship foghorn prism wick shutter mast landing channel_mark lamp_room weathervane reflector
fog paraffin whale_oil acetylene granite mercury
automatic revolving offshore stormbound flashing white-washed unmanned isolated
lit extinguished automated manned trimmed polished relit
keeper lampist inspector relief_man/relief_men
[shipping]
ship vessel freighter tanker container cargo_line fleet hull deck bridge funnel bulkhead propeller manifest charter hold anchor tonnage voyage route bunker crew_list steamer liner register
cargo freight ballast bunker_oil ore grain
ocean-going laden seaworthy bulk registered chartered diesel idle
chartered loaded launched scrapped insured rerouted registered
captain shipowner stevedore purser
[coasts]
coast cliff beach dune shore estuary coastal_path bay cove headland tide_table saltmarsh groyne sea_wall inlet sandbank spit shingle_bank rock_pool viewpoint footpath lagoon mudflat promenade stile
sand shingle seaweed surf erosion driftwood
coastal eroded sandy tidal windswept sheltered rocky steep
eroded protected walked surveyed flooded replanted signposted
walker ranger warden bather
[harbours]
harbour quay pier berth dock breakwater basin crane jetty slipway mole warehouse ferry_terminal buoy bollard fender dredger pilot_boat customs_house marina lock_gate gangway ramp tug mooring
silt mooring_rope freight tar diesel dredged_mud
inner deep-water sheltered silted commercial busy natural old
dredged moored deepened enlarged berthed leased piled
harbour_master pilot docker ferryman/ferrymen
[fishing]
trawler net catch quota fishing_boat herring cod mackerel line hook bait_box creel fishery landing winch cooler fish_market shoal smack buoy float scale reel rod bank
bait brine ice roe fishmeal spawn
inshore pelagic sustainable overfished seasonal fresh salted landed
caught landed netted smoked salted auctioned gutted
fisherman/fishermen skipper fishmonger angler
[sailing]
sail yacht regatta mast keel dinghy rudder boom jib spinnaker tiller hull bow stern halyard knot sextant chart cleat mooring winch race buoy crew crossing
rigging canvas wind spray varnish sailcloth
upwind leeward close-hauled single-handed reefed nautical steady gusty
rigged reefed tacked skippered capsized trimmed raced
sailor skipper helmsman/helmsmen rigger
[railways]
railway train station locomotive timetable platform signal carriage track junction sleeper viaduct tunnel siding boiler gauge switch branch_line depot goods_yard semaphore level_crossing buffer ticket rail
coal steam ballast freight track_grease rolling_stock
narrow-gauge electrified disused double-track punctual steam-hauled regional preserved
electrified closed coupled shunted reopened signalled overhauled
driver signalman/signalmen stationmaster fireman/firemen
[trams]
tram tramway depot trolley_pole stop overhead_wire streetcar line loop bogie pantograph ticket timetable terminus conductor_seat rail track controller substation headway junction platform livery saloon turntable
current overhead_voltage traffic copper_wire ridership grease
low-floor articulated urban single-track electric restored vintage double-deck
extended withdrawn restored electrified diverted relaid timetabled
conductor tram_driver dispatcher fitter
[bridges]
bridge span arch pier girder suspension_cable deck abutment truss viaduct pylon toll_house footbridge parapet keystone pile bearing rivet anchor crossing caisson roadway causeway handrail expansion_joint
steel concrete masonry mortar wrought_iron wind_load
cable-stayed wooden slender cantilevered movable load-bearing fortified medieval
spanned reinforced widened demolished riveted repainted inspected
bridge_engineer mason toll_keeper surveyor
[canals]
canal lock towpath barge narrowboat aqueduct lock_gate basin sluice winding_hole wharf embankment cutting tunnel bridge feeder reservoir paddle culvert mooring dredger weir lift horse_boat lock_cottage
puddle_clay water silt coal freight traffic
navigable derelict broad narrow restored industrial winding silted
dredged restored drained navigated abandoned widened puddled
lock_keeper boatman/boatmen navvy/navvies lengthsman/lengthsmen
[cycling]
bicycle bike wheel cycle_path saddle chain gear pedal frame handlebar brake tyre spoke fork derailleur helmet pannier stage climb route lane bell pump tandem rim
chain_oil rubber traffic aluminium carbon cadence
two-wheeled hilly paved cobbled lightweight touring fixed-gear puncture-proof
pedalled cycled geared trued raced toured serviced
cyclist rider frame_builder commuter
[bread]
bread loaf/loaves sourdough oven crust dough baguette roll starter bakery crumb peel proving_basket tin wheat_field mill rye_loaf/rye_loaves bun scale bench sieve slice recipe kneading_trough baking_stone
flour yeast rye salt water gluten
crusty wholemeal leavened stone-ground unsalted risen dense hand-shaped
baked kneaded proved leavened sliced milled scored
baker miller apprentice oven_builder
[cheese]
cheese rind dairy curd cellar wheel goat sheep milking_parlour vat cheesecloth mould press shelf/shelves alpine_hut brine_bath cheddar brie market churn tasting pasture cow cutting_wire board
rennet whey milk salt cream butterfat
ripened blue-veined creamy washed-rind raw-milk hard crumbly smoked
ripened curdled pressed salted aged turned smoked
cheesemaker dairyman/dairymen herdsman/herdsmen affineur
[wine]
wine vineyard grape vintage cellar barrel cork vine harvest bottle press terrace riesling pinot label tasting appellation decanter slope trellis cluster winery glass vat stave
tannin must sugar yeast oak acidity
dry sparkling late-harvest full-bodied mineral organic aged fruity
fermented bottled pruned decanted harvested aged pressed
winemaker vintner sommelier picker
[beer]
beer brewery ale lager hop mash_tun cask keg pub barrel porter stout tap_room kettle fermenter cellar glass malting pilsner yeast_strain bottle cooper_shop recipe festival dray
malt barley wort yeast foam bitterness
bottom-fermented unfiltered bitter hoppy strong draught seasonal smoky
brewed fermented tapped malted bottled racked filtered
brewer maltster landlord cooper
[tea]
tea teapot tea_garden leaf/leaves cup plantation tea_house kettle infusion whisk bowl caddy blend estate ceremony tasting strainer oolong flush auction shade_cloth terrace drying_rack tin grade
matcha caffeine tannin steam jasmine hot_water
green black hand-picked steamed fragrant fermented astringent roasted
brewed steeped plucked rolled whisked graded withered
tea_master plucker taster grower
[gardens]
garden flower_bed rose hedge lawn greenhouse border compost_heap orchard seedling bulb shrub trellis watering_can path bench pond allotment spade pruning_saw fence gate bed nursery/nurseries arbour
soil compost mulch seed manure rain
flowering evergreen shady walled formal weedy frost-hardy fragrant
planted pruned watered mulched sown transplanted clipped
gardener head_gardener landscape_designer nurseryman/nurserymen
[bees]
bee hive honeycomb swarm queen apiary colony/colonies frame smoker brood_box drone mite extractor super veil cell cluster forage_plant skep landing_board nectar_flow stand winter_feed nuc jar
honey wax pollen nectar propolis smoke
varroa-resistant overwintered queenless foraging wild gentle swarming capped
hived swarmed requeened fed overwintered extracted inspected
beekeeper queen_breeder bee_inspector keeper
[birds]
bird nest warbler migration_route owl plumage feather binocular hide reserve crane heron falcon song wetland ring chick egg clutch flock beak roost field_guide telescope census_count
birdsong down seed prey reed_cover guano
migratory ringed breeding rare nocturnal wading singing resident
ringed sighted counted fledged nested recorded hatched
birdwatcher ornithologist warden ringer
[forests]
forest tree beech oak woodland sapling timber_stand clearing canopy undergrowth log spruce thicket ring sawmill trail deer stand root seed_tree bark_beetle plantation charcoal_pile axe nursery/nurseries
timber bark moss humus resin firewood
ancient deciduous mixed coppiced managed dead-standing dense native
felled thinned planted coppiced harvested debarked replanted
forester logger woodcutter charcoal_burner
[mushrooms]
mushroom chanterelle bolete cap gill stem fungus/fungi basket spore_print morel puffball truffle ring mycelium_mat toadstool foray field_guide birch bracket knife/knives log agaric clearing plate veil
mycelium spore_dust moss humus leaf_litter toxin
edible poisonous saprophytic slimy spongy autumnal wood-rotting scarlet
foraged identified picked dried poisoned fried spored
forager mycologist mushroom_picker inspector
[astronomy]
telescope star planet observatory galaxy/galaxies comet eclipse constellation nebula/nebulae mirror dome orbit moon meteor eyepiece sky_survey spectrum supernova/supernovae asteroid star_chart mount lens transit crater light_year
starlight dark_matter dust hydrogen gravity sky_glow
variable distant double bright celestial orbital faint infrared
observed discovered photographed catalogued eclipsed measured resolved
astronomer observer stargazer instrument_maker
[weather]
weather_station forecast barometer storm cloud rain_gauge front thermometer shower gust thunderstorm depression isobar frost anemometer heatwave flood radar_image drought snowfall weather_map balloon record season scale
rain wind pressure humidity hail sleet
stormy humid cyclonic overcast unsettled record-breaking gusty mild
forecast measured recorded predicted flooded averaged warned
meteorologist forecaster observer weatherman/weathermen
[optics]
lens prism microscope mirror focal_length aberration laser eyepiece beam spectrometer objective grating filter interferometer coating magnifier slit wavelength fibre bench detector aperture polariser refractor condenser
glass light crown_glass interference diffraction cement
achromatic convex optical polarised coherent aspheric transparent coated
ground polished focused refracted collimated aligned coated
optician lens_grinder physicist glassmaker
[photography]
photograph camera negative darkroom print exposure shutter lens tripod portrait aperture plate contact_sheet enlarger film_roll flash album viewfinder studio frame filter exhibition slide focus landscape
film developer silver_bromide fixer grain emulsion
black-and-white overexposed large-format grainy documentary tinted backlit blurred
developed exposed enlarged printed framed retouched archived
photographer retoucher sitter darkroom_assistant
[radio]
radio_station transmitter antenna receiver frequency/frequencies shortwave_band signal valve broadcast amplifier call_sign morse_key studio mast crystal_set dial oscillator headphone jamming_station relay tuner loudspeaker coil log beacon
static interference shortwave_noise bandwidth modulation solder
short-wave tuned amateur analogue powerful noisy licensed portable
transmitted tuned received jammed broadcast amplified soldered
radio_amateur operator announcer engineer
[chess]
chess_club opening endgame pawn bishop rook knight queen tournament grandmaster_title gambit board clock castle move checkmate draw defence variation problem rating pairing_list fork pin exchange
tempo material preparation theory time_trouble counterplay
positional drawn sacrificed adjourned isolated passed rapid blindfold
checkmated sacrificed castled exchanged resigned analysed adjourned
grandmaster arbiter chess_player problemist
[castles]
castle tower moat keep drawbridge battlement gatehouse courtyard siege knight dungeon rampart banner great_hall portcullis chapel arrow_slit ruin stronghold catapult curtain_wall armoury hill bailey seal
masonry mortar limestone ivy heraldry firewood
fortified ruined medieval besieged moated romanesque crumbling royal
besieged fortified stormed rebuilt garrisoned inherited excavated
lord knight castellan archer
[museums]
museum exhibition collection gallery/galleries curator_office display_case catalogue exhibit archive label depot guided_tour loan painting sculpture audio_guide opening donation workshop cabinet frame plaster_cast restoration ticket inventory_number
provenance conservation varnish dust humidity visitor_traffic
permanent temporary interactive donated rare open-air archaeological priceless
exhibited curated restored donated catalogued loaned acquired
curator restorer visitor attendant
[pottery]
pot kiln glaze bowl vase potter's_wheel shard tile jug studio plate mould firing teacup saucer bisque workshop dish stoneware_jar handle slip rim cone shelf/shelves seal
clay porcelain ash_glaze slip feldspar stoneware
wood-fired glazed hand-thrown unglazed cracked translucent salt-glazed celadon
fired thrown glazed moulded decorated unearthed crazed
potter ceramist decorator kiln_master
[weaving]
loom weaver's_shed shuttle warp tapestry fabric carpet yarn thread spindle weft pattern dye_bath bobbin shawl reed spinning_wheel treadle twill mill heddle selvedge selvage_edge skein frame
wool linen silk indigo cotton madder
hand-woven dyed patterned coarse striped fine-spun double-faced felted
woven dyed spun carded embroidered warped fulled
weaver dyer spinner pattern_drafter
[printing]
printing_press typeface letterpress type_case woodcut book page ink_roller proof composing_stick press plate binding lithograph broadsheet serif forme poster paper_mill chase engraving margin colophon edition galley
ink lead paper type_metal vellum gold_leaf
hand-set engraved bound illustrated gothic italic limited embossed
printed typeset bound engraved inked proofread folded
printer compositor bookbinder type_founder
[clocks]
clock watch/watches pendulum dial escapement movement chime mainspring hour_hand gear tower_clock case sundial balance_wheel chronometer winding_key strike cog regulator pocket_watch/pocket_watches bezel jewel weight lock pivot
brass enamel oil steel lacquer precision
long-case self-winding striking accurate gilded astronomical engraved slow
wound regulated repaired gilded chimed synchronised cased
clockmaker watchmaker gilder apprentice
[organs]
organ pipe manual stop bellows_chamber console reed pedalboard windchest organ_loft register recital prospect swell_box choir tracker_action case fugue cathedral tuning_slide keyboard chorale mixture rank hymn
wind_pressure tin lead leather reverberation sound
baroque romantic two-manual pneumatic out-of-tune voiced symphonic mechanical
voiced tuned dismantled played inaugurated restored reconstructed
organist organ_builder cantor bellows_boy
[violins]
violin bow string fingerboard scroll bridge luthier's_bench viola cello varnish_recipe soundpost f-hole peg chin_rest quartet sonata orchestra workshop back belly/bellies case concerto mute template rib
varnish rosin spruce maple horsehair gut
hand-carved italian resonant tuned antique cracked solo bowed
carved varnished bowed restrung tuned appraised auctioned
luthier violinist soloist bow_maker
[volcanoes]
volcano/volcanoes eruption crater lava_flow vent caldera magma_chamber ash_cloud cone earthquake fumarole geyser plate seismograph flank slope observatory island tremor alert dome lahar evacuation hotspot plume
lava ash pumice sulphur basalt magma
dormant active explosive submarine volcanic molten seismic shield-shaped
erupted monitored evacuated buried sampled mapped solidified
volcanologist geologist guide seismologist
[caves]
cave cavern stalactite stalagmite passage chamber shaft sump bat cave_entrance rope pothole underground_river lamp helmet pitch column ladder rock_painting grotto survey crawl fissure sinkhole spring
limestone calcite darkness mud drip_water guano
subterranean flooded narrow karstic unexplored dripstone-covered vertical dark
explored surveyed flooded abseiled mapped discovered dived
caver speleologist diver cave_guide
[minerals]
mineral crystal quartz ore mine vein gemstone specimen agate garnet seam shaft quarry/quarries hammer collection fluorite gem_cutter's_wheel assay smelter tourmaline pit adit label drift lens
copper silver feldspar pyrite mica slag
crystalline translucent ore-bearing fluorescent rare hexagonal weathered twinned
mined collected assayed polished identified quarried smelted
miner mineralogist collector gem_cutter
[fossils]
fossil ammonite dinosaur skeleton trilobite bone stratum/strata quarry/quarries skull excavation_site tooth/teeth imprint fern layer claw cast specimen jaw footprint amber_piece egg plate collection spine shell
limestone shale amber sediment plaster chalk
extinct jurassic petrified articulated marine well-preserved cretaceous feathered
excavated fossilised prepared dated unearthed described reconstructed
palaeontologist preparator fossil_hunter curator
[census]
census population_table household district statistics_office survey questionnaire data_set birth_rate age_group migration_figure index yearbook respondent sample estimate municipality/municipalities time_series count register province indicator quarter bulletin map
population employment income microdata migration metadata
statistical annual provisional seasonally-adjusted rural per-capita revised official
counted surveyed estimated published aggregated revised sampled
statistician enumerator respondent registrar
[windpower]
wind_farm turbine rotor blade nacelle tower permit grid_connection substation foundation offshore_site generator gearbox cable consent turbine_site bird_study/bird_studies planning_authority_file yield noise_report monopile hub auction lease setback
wind electricity output steel noise capacity
offshore onshore renewable licensed repowered consented gusty installed
licensed erected commissioned repowered connected objected dismantled
developer planner turbine_technician objector
[waterworks]
waterworks reservoir pumping_station water_main pipe filter_bed valve well aqueduct hydrant treatment_plant dam water_tower meter sewer spring sluice pump sampling_point leak conduit catchment tank basin bulletin
drinking_water chlorine sludge groundwater sand pressure
filtered potable chlorinated leaking municipal gravity-fed hard contaminated
pumped filtered metered treated piped sampled relined
water_engineer plumber inspector well_sinker
[maps]
map atlas/atlases contour scale legend globe projection survey meridian sheet chart wind_rose gazetteer triangulation_point coastline grid grid_reference place_name theodolite border layer copperplate cadastre plan datum
vellum hachure ink relief accuracy magnetic_declination
topographic hand-coloured nautical folded engraved detailed thematic geodetic
mapped surveyed projected engraved plotted triangulated charted
cartographer surveyor engraver geographer
[climbing]
climb summit rope ridge route belay crag ascent glacier bolt carabiner mountain_hut harness north_face pitch ice_axe overhang bivouac crampon base_camp hold peak chimney wall anchor
chalk rock snow altitude exposure scree
alpine steep overhanging exposed icy traditional roped classic
climbed belayed bolted summited abseiled graded rescued
climber mountaineer guide hut_warden
[jobs]
vacancy/vacancies position application contract interview team salary/salaries deadline office department career training trainee_programme shift curriculum
experience teamwork overtime leave flexibility
full-time part-time permanent motivated qualified temporary
hired advertised interviewed promoted trained appointed
applicant manager recruiter trainee
[council]
council meeting agenda budget road_closure motion committee resident_survey car_park bus_stop bylaw election town_hall petition waste_collection playground tender
roadworks funding parking refuse attendance
local municipal public annual unanimous proposed
approved postponed discussed rejected funded announced
mayor councillor resident clerk
[results]
match/matches team league goal season table cup penalty/penalties fixture half referee_report club score away_game training_ground transfer final
possession form support stoppage_time defence
home unbeaten late decisive goalless youth
scored won drawn defeated promoted relegated
coach striker goalkeeper referee
[offers]
offer basket price voucher delivery brand product discount checkout order gift size colour shop newsletter return customer_review warehouse
stock shipping value payment packaging
new reduced popular limited free best-selling
ordered reduced delivered sold reviewed wrapped
customer seller designer shopkeeper
[hotels]
hotel room breakfast booking guest terrace suite restaurant holiday pool beach_bar lobby/lobbies view weekend spa car_park family_room evening_meal
hospitality comfort parking wellness luggage
quiet family-run central comfortable sunny spacious
booked renovated served recommended welcomed furnished
guest host chef receptionist
[health]
clinic appointment patient diet exercise symptom treatment surgery vaccination check-up pharmacy/pharmacies headache sleep_pattern ward therapy advice_line blood_test
sleep vitamin stress medication rest
healthy chronic preventive gentle daily medical
treated prescribed examined recommended vaccinated advised
doctor nurse patient therapist
[schools]
school class/classes pupil term lesson project_week timetable homework exam trip parents'_evening library playground canteen prize choir open_day
learning reading attendance mathematics music
primary joint creative extracurricular bilingual proud
taught awarded visited rehearsed examined enrolled
teacher pupil head_teacher parent
[computing]
computer website browser update password file server network screen keyboard plug-in backup folder forum user code_snippet bug
software memory spam storage bandwidth
secure slow open-source outdated wireless portable
installed updated downloaded deleted configured patched
administrator programmer user webmaster
"""

GENERAL = (
    "year day place people_group part time way work side group number house end line kind story/stories street name town question point visit report moment detail example morning book letter plan list village reason week hand change problem evening idea photo neighbour building room picture meeting tour result weekend summer family/families project road event visitor winter map note garden_gate field afternoon view corner association page conversation festival friend region decade century/centuries anniversary/anniversaries generation tradition workshop journey newspaper programme society/societies member guest path square collection memory/memories office archive",
    "money help interest weather care patience attention history news tradition support luck work traffic paper",
    "new old good small great long little early late large local young important short different special several quiet famous simple remarkable careful modern usual typical former unusual pleasant main regular",
    "built used made seen found kept given called opened shown described repaired moved changed planned mentioned collected started finished remembered noticed explained visited prepared offered",
    "visitor neighbour friend teacher owner reader member volunteer guest child/children",
)
"""Words for everything, the frequent ones first: the text between the telling words."""


def _read() -> dict[str, tuple[str, ...]]:
    made = {}
    for block in _TABLE.split("[")[1:]:
        name, *rows = block.strip().splitlines()
        made[name.removesuffix("]")] = tuple(rows)
    return made


WORDS = _read()
